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
	"github.com/glasstty/glasstty/internal/share"
)

const (
	// repeatTime is the time after a lost connection within which a client may repeat its
	// request.
	repeatTime = time.Minute
	// maxRepeats is the maximum number of requests that are remembered.
	maxRepeats = 4096
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

	mu sync.Mutex // guards exchange.lostAt, and makes begin and end atomic
	// requests holds the lost requests and, marked as busy, those under way in MCP sessions.
	requests *share.Table[requestKey, *exchange]
}

// A requestKey identifies a request: the hash of its client, MCP session and body.
type requestKey [sha256.Size]byte

func newRepeats() *repeats {
	return &repeats{now: time.Now, requests: share.New(maxRepeats, func(requestKey, *exchange) {})}
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
	first, ok := p.requests.Get(key)
	if ok && !first.lostAt.IsZero() && p.now().Sub(first.lostAt) >= repeatTime {
		ok = false
	}
	if ok && session && first.handled.Err() == nil {
		return first
	}
	ex.name = rand.Text()
	if ok {
		ex.name = first.name
	}
	p.requests.Remove(key)
	if session {
		p.addLocked(key, ex)
		p.requests.Begin(key, share.Owner{Name: ex.principal.ID})
	}
	return nil
}

// addLocked remembers a request.
func (p *repeats) addLocked(key requestKey, ex *exchange) {
	p.requests.Add(key, ex, share.Owner{Name: ex.principal.ID})
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
	if last, ok := p.requests.Get(key); ok && last != ex {
		return // it was repeated already
	}
	p.requests.Remove(key)
	if !answered {
		ex.lostAt = p.now()
		p.addLocked(key, ex)
	}
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

// nameCall sets the name of a call unless its client has named it.
func nameCall(params *mcp.CallToolParamsRaw, name string) {
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
