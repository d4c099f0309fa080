package httpserve

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/relay"
)

const (
	// repeatTime is how long a client has to send a request again whose connection
	// was lost.
	repeatTime = time.Minute
	// maxRepeats bounds the requests that are remembered for that.
	maxRepeats = 1024
)

// repeats know the requests whose connections were lost before their answers were
// written. A client that sends one of them again, in the same MCP session and with
// the same bytes, its JSON-RPC id among them, does not want it to be done twice: the
// call gets the name of the first, see relay.MetaCall. So does one that comes while
// the first is under way in the same MCP session, whose loss was not noticed yet. A
// request that was answered is never taken for another one: clients that count no
// ids may send the same key again and again. It is safe for concurrent use.
type repeats struct {
	now func() time.Time

	mu   sync.Mutex // guards what follows
	lost map[requestKey]lostRequest
	open map[requestKey]string // the names of requests of MCP sessions under way
}

// A requestKey tells a request from others: the hash of its client, its MCP session
// and its body.
type requestKey [sha256.Size]byte

// A lostRequest is a request that was not answered.
type lostRequest struct {
	name string
	at   time.Time
}

func newRepeats() *repeats {
	return &repeats{now: time.Now, lost: map[requestKey]lostRequest{}, open: map[requestKey]string{}}
}

// keyOf returns the key of a request, and gives it its body back. Batches have
// none: their calls would share a name.
func keyOf(r *http.Request) (key requestKey, ok bool) {
	body, err := io.ReadAll(r.Body) // it is in memory, and bounded
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil || !bytes.HasPrefix(bytes.TrimSpace(body), []byte{'{'}) {
		return key, false
	}
	h := sha256.New()
	for _, part := range []string{PrincipalOf(r.Context()).ID, r.Header.Get(headerSession)} {
		io.WriteString(h, part)
		h.Write([]byte{0})
	}
	h.Write(body)
	return requestKey(h.Sum(nil)), true
}

// begin returns the name of a request's call: that of the request that it repeats,
// or one that no other has.
func (p *repeats) begin(key requestKey, session bool) (name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name = rand.Text()
	if was, ok := p.lost[key]; ok && p.now().Sub(was.at) < repeatTime {
		name = was.name
	}
	delete(p.lost, key)
	if first, ok := p.open[key]; ok {
		name = first
	} else if session {
		p.open[key] = name
	}
	return name
}

// end notes that a request is over.
func (p *repeats) end(key requestKey, name string, answered bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[key] == name {
		delete(p.open, key)
	}
	if !answered {
		p.notAnsweredLocked(key, name)
	}
}

// notAnsweredLocked remembers a request whose connection was lost. When too many
// are remembered the oldest goes.
func (p *repeats) notAnsweredLocked(key requestKey, name string) {
	now := p.now()
	var oldest requestKey
	first := now
	for k, r := range p.lost {
		if now.Sub(r.at) >= repeatTime {
			delete(p.lost, k)
		} else if !r.at.After(first) {
			oldest, first = k, r.at
		}
	}
	if len(p.lost) >= maxRepeats {
		delete(p.lost, oldest)
	}
	p.lost[key] = lostRequest{name, now}
}

// served serves a request, whose call gets a name.
func (p *repeats) served(ex *exchange, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, ok := requestKey{}, false
		if r.Method == http.MethodPost {
			key, ok = keyOf(r)
		}
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		ex.name = p.begin(key, r.Header.Get(headerSession) != "")
		defer func() { p.end(key, ex.name, r.Context().Err() == nil) }()
		next.ServeHTTP(w, r)
	})
}

// named tells a call its name, where its client has not named it.
func named(params *mcp.CallToolParamsRaw, name string) {
	if name == "" {
		return
	}
	if params.Meta == nil {
		params.Meta = mcp.Meta{}
	}
	if params.Meta[relay.MetaCall] == nil {
		params.Meta[relay.MetaCall] = name
	}
}
