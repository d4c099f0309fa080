package httpserve

import (
	"bytes"
	"context"
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
	// repeatTime is how long after a lost connection a client may send its request again.
	repeatTime = time.Minute
	// maxRepeats bounds the lost requests that are remembered.
	maxRepeats = 1024
)

// repeats recognises requests that a client sends again. It remembers requests whose
// connections were lost before the answer was written. When the same bytes, JSON-RPC id
// included, come again in the same MCP session, the call gets the name of the first one
// (relay.MetaCall), and the session does nothing twice. The same holds while the first
// request is still under way, because its loss may not have been noticed yet. In an MCP
// session the repeated request waits until the SDK is done with the first one: the SDK
// refuses a JSON-RPC id that is in use, also by a call whose connection is lost. An answered
// request is forgotten: clients that do not count ids may send equal requests on purpose.
// It is safe for concurrent use.
type repeats struct {
	now func() time.Time

	mu   sync.Mutex // guards what follows
	lost map[requestKey]lostRequest
	open map[requestKey]*exchange // requests under way in MCP sessions
}

// A requestKey identifies a request: the hash of its client, MCP session and body.
type requestKey [sha256.Size]byte

// A lostRequest is a request that was not answered.
type lostRequest struct {
	ex *exchange
	at time.Time
}

func newRepeats() *repeats {
	return &repeats{now: time.Now, lost: map[requestKey]lostRequest{}, open: map[requestKey]*exchange{}}
}

// keyOf returns the key of a request, and restores its body. Batches have no key: their
// calls would share a name.
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

// begin names the call of a request: the name is that of the request that it repeats, or a
// new one. While the SDK is not done with that request, begin changes nothing and returns it.
func (p *repeats) begin(key requestKey, ex *exchange, session bool) (unfinished *exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := p.open[key]
	if was, ok := p.lost[key]; first == nil && ok && p.now().Sub(was.at) < repeatTime {
		first = was.ex
	}
	ex.name = rand.Text()
	if first != nil {
		if session && !first.isHandled() {
			return first
		}
		ex.name = first.name
	}
	delete(p.lost, key)
	if session {
		p.open[key] = ex
	}
	return nil
}

// beginAfter is begin after the requests that the request repeats. It reports whether the
// SDK was done with them within answerTime.
func (p *repeats) beginAfter(ctx context.Context, key requestKey, ex *exchange, session bool) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	for {
		unfinished := p.begin(key, ex, session)
		if unfinished == nil {
			return true
		}
		if !unfinished.awaitHandled(ctx) {
			return false
		}
	}
}

// end notes that a request is over.
func (p *repeats) end(key requestKey, ex *exchange, answered bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[key] == ex {
		delete(p.open, key)
	}
	if !answered {
		p.notAnsweredLocked(key, ex)
	}
}

// notAnsweredLocked remembers a request whose connection was lost, in place of the oldest
// when there are maxRepeats.
func (p *repeats) notAnsweredLocked(key requestKey, ex *exchange) {
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
	p.lost[key] = lostRequest{ex, now}
}

// served names the call of a request before next serves it.
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
		if !p.beginAfter(r.Context(), key, ex, r.Header.Get(headerSession) != "") {
			http.Error(w, errUnfinished.Error(), http.StatusConflict)
			return
		}
		defer func() {
			ex.closed()
			p.end(key, ex, r.Context().Err() == nil)
		}()
		next.ServeHTTP(w, r)
	})
}

// named sets the name of a call that its client has not named.
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
