package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/session"
)

// notifyEvery is the shortest time between two notifications of one resource:
// at most ten a second.
const notifyEvery = 100 * time.Millisecond

// subscriptions watches the resources that clients have subscribed to. The SDK
// knows which client wants what and sends the notifications; this says when.
type subscriptions struct {
	mu      sync.Mutex // guards what follows
	watches map[string]*watch
	clients map[*mcp.ServerSession]bool // whose end somebody waits for
}

func newSubscriptions() *subscriptions {
	return &subscriptions{watches: map[string]*watch{}, clients: map[*mcp.ServerSession]bool{}}
}

// A watch is the goroutine that follows one resource.
type watch struct {
	clients map[*mcp.ServerSession]bool
	cancel  context.CancelFunc
}

// maxWatches bounds the resources that are subscribed to, by all clients.
const maxWatches = 1000

// subscribe starts to follow a resource for a client. A URI that is not ours is
// taken too, as the protocol does not ask that a resource exists: nothing will
// ever change there.
func (s *Server) subscribe(_ context.Context, req *mcp.SubscribeRequest) error {
	uri := req.Params.URI
	found, _, ok := s.resource(uri)
	if !ok && strings.HasPrefix(uri, uriScheme) {
		return fmt.Errorf("no resource %q; resources/list shows them", clip(uri))
	}
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	w := s.subs.watches[uri]
	if w == nil {
		if len(s.subs.watches) == maxWatches {
			return fmt.Errorf("%d resources are subscribed to, the most there may be; unsubscribe from some", maxWatches)
		}
		ctx, cancel := context.WithCancel(s.stopping)
		w = &watch{clients: map[*mcp.ServerSession]bool{}, cancel: cancel}
		s.subs.watches[uri] = w
		if ok {
			go s.follow(ctx, uri, w, found, found.State())
		}
	}
	w.clients[req.Session] = true
	if !s.subs.clients[req.Session] {
		s.subs.clients[req.Session] = true
		go s.dropWhenGone(req.Session)
	}
	return nil
}

// unsubscribe ends what subscribe began.
func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	s.subs.removeLocked(req.Params.URI, req.Session)
	return nil
}

// removeLocked takes a client off a resource, whose watch ends with the last.
func (b *subscriptions) removeLocked(uri string, client *mcp.ServerSession) {
	w := b.watches[uri]
	if w == nil {
		return
	}
	delete(w.clients, client)
	if len(w.clients) == 0 {
		w.cancel()
		delete(b.watches, uri)
	}
}

// dropWhenGone forgets a client that has gone without unsubscribing; the SDK
// does not tell.
func (s *Server) dropWhenGone(client *mcp.ServerSession) {
	_ = client.Wait() // why it went does not matter here
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	delete(s.subs.clients, client)
	for uri := range s.subs.watches {
		s.subs.removeLocked(uri, client)
	}
}

// follow notifies the resource's clients of changes, until the session or the
// last of them is gone.
func (s *Server) follow(ctx context.Context, uri string, w *watch, found *session.Session, seen uint64) {
	defer s.forget(uri, w)
	// The first pause also gives the SDK time to note the subscription.
	pause := time.NewTimer(notifyEvery)
	defer pause.Stop()
	for gone := error(nil); gone == nil; {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		if seen, gone = found.Changed(ctx, seen); ctx.Err() != nil {
			return
		}
		if err := s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
			s.opt.Logger.Warn("resource update", "uri", uri, "error", err)
		}
		pause.Reset(notifyEvery)
	}
}

// forget removes a watch that has ended by itself.
func (s *Server) forget(uri string, w *watch) {
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	w.cancel()
	if s.subs.watches[uri] == w {
		delete(s.subs.watches, uri)
	}
}
