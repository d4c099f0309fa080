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
	// repeatTime is the time after a lost connection within which a client may repeat its
	// request.
	repeatTime = time.Minute
	// maxRepeats is the largest number of lost requests that are remembered.
	maxRepeats = 1024
)

// repeats recognises requests that a client repeats after losing its connection. It remembers
// requests whose connections were lost before the answer was written. If a request with the
// same body, including the JSON-RPC id, comes in the same MCP session, its call gets the name
// of the first one (relay.MetaCall), so that the terminal session does nothing twice. This also
// holds while the first request is under way, because its loss may not be noticed yet. In an
// MCP session, the repeated request waits until the SDK is done with the first one, because the
// SDK refuses a JSON-RPC id that is in use. Answered requests are forgotten, because clients
// that do not count ids may send equal requests on purpose. It is safe for concurrent use.
type repeats struct {
	now func() time.Time

	mu   sync.Mutex               // guards the fields below
	lost map[requestKey]*exchange // requests that were not answered
	open map[requestKey]*exchange // requests under way in MCP sessions
}

// A requestKey identifies a request: the hash of its client, MCP session and body.
type requestKey [sha256.Size]byte

func newRepeats() *repeats {
	return &repeats{now: time.Now, lost: map[requestKey]*exchange{}, open: map[requestKey]*exchange{}}
}

// keyOf returns the key of a request, and restores its body. Batches have no key, because their
// calls would share a name.
func keyOf(r *http.Request) (key requestKey, ok bool) {
	body, err := io.ReadAll(r.Body) // bounded has read it into memory
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

// begin names the call of a request after the request that it repeats, or gives it a new name.
// In an MCP session, while the SDK is not done with the first request, begin returns that one
// and the call is not begun.
func (p *repeats) begin(key requestKey, ex *exchange, session bool) (unfinished *exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := p.open[key]
	if lost, ok := p.lost[key]; first == nil && ok && p.now().Sub(lost.lostAt) < repeatTime {
		first = lost
	}
	ex.name = rand.Text()
	if first != nil {
		if session && first.handled.Err() == nil {
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

// beginAfter calls begin until it succeeds, and waits in between for the requests that the
// request repeats. It reports false if the SDK was not done with them within answerTime.
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

// end notes the end of a request. If answered is false, its connection was lost.
func (p *repeats) end(key requestKey, ex *exchange, answered bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[key] == ex {
		delete(p.open, key)
	}
	if !answered {
		p.addLostLocked(key, ex)
	}
}

// addLostLocked remembers a request whose connection was lost. If there are maxRepeats, it
// forgets the oldest.
func (p *repeats) addLostLocked(key requestKey, ex *exchange) {
	now := p.now()
	var oldest requestKey
	first := now
	for k, r := range p.lost {
		if now.Sub(r.lostAt) >= repeatTime {
			delete(p.lost, k)
		} else if !r.lostAt.After(first) {
			oldest, first = k, r.lostAt
		}
	}
	if len(p.lost) >= maxRepeats {
		delete(p.lost, oldest)
	}
	ex.lostAt = now
	p.lost[key] = ex
}

// served returns a handler that names the call of a request before next serves it.
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

// named sets the name of a call unless its client has named it.
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
