package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/share"
	"github.com/glasstty/glasstty/session"
)

// notifyEvery is the shortest time between two notifications of one resource:
// at most ten a second.
const notifyEvery = 100 * time.Millisecond

// subscriptions watches the resources that clients have subscribed to. The SDK knows the
// subscribers and sends the notifications; this decides when.
type subscriptions struct {
	mu      sync.Mutex // guards what follows
	watches map[string]*watch
	hosts   map[string]*hostWatch       // of other hosts' resources
	clients map[*mcp.ServerSession]int  // subscriptions of each client; dropWhenGone waits for its end
	shares  *share.Table[*subscription] // chooses the one to drop when there are too many
}

// A subscription is one client's to one resource.
type subscription struct {
	uri    string
	client *mcp.ServerSession
}

func newSubscriptions() *subscriptions {
	b := &subscriptions{watches: map[string]*watch{}, hosts: map[string]*hostWatch{}, clients: map[*mcp.ServerSession]int{}}
	b.shares = share.New(maxSubscriptions, func(sub *subscription) { b.removeLocked(sub.uri, sub.client) })
	return b
}

// A watch is the goroutine that follows one resource.
type watch struct {
	clients map[*mcp.ServerSession]*subscription
	cancel  context.CancelFunc
}

// The bounds of subscriptions. Beyond maxClientSubscriptions, a client gets an error; beyond
// maxSubscriptions, the client with the most loses its oldest one.
const (
	maxSubscriptions       = 1000
	maxClientSubscriptions = 200
)

// subscribe starts to follow a resource for a client. It accepts URIs of other schemes, which
// never change, because the protocol does not require that a resource exists.
func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	uri, client := req.Params.URI, req.Session
	host, seen := s.hostOfURI(uri), uint64(0)
	found, _, ok := s.resource(uri)
	var err error
	if host != "" {
		err = s.carryMethod(ctx, host, methodState, req, uri, &seen, nil)
	} else if !ok && strings.HasPrefix(uri, uriScheme) {
		err = errMissing
	}
	switch {
	case errors.Is(err, errMissing):
		return fmt.Errorf("no resource %q; resources/list shows them", clip(uri))
	case err != nil:
		return err
	}
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	w := s.subs.watches[uri]
	if w != nil && w.clients[client] != nil {
		return nil
	}
	if s.subs.clients[client] >= maxClientSubscriptions {
		return fmt.Errorf("this client is subscribed to %d resources, the most it may be; unsubscribe from some", maxClientSubscriptions)
	}
	if w == nil {
		ctx, cancel := context.WithCancel(s.stopping)
		w = &watch{clients: map[*mcp.ServerSession]*subscription{}, cancel: cancel}
		s.subs.watches[uri] = w
		switch {
		case host != "":
			w.cancel = func() { cancel(); s.unwatchRemoteLocked(host, uri) }
			s.watchRemoteLocked(host, uri, seen)
		case ok:
			go s.notify(ctx, uri, w, found, found.State())
		}
	}
	sub := &subscription{uri, client}
	w.clients[client] = sub
	if _, known := s.subs.clients[client]; !known {
		go s.dropWhenGone(client)
	}
	s.subs.clients[client]++
	s.subs.shares.Add(sub, ownerOf(req)) // always finds room: no subscription is ever busy
	return nil
}

// ownerOf returns the owner of a subscription: its token and its client.
func ownerOf(req *mcp.SubscribeRequest) share.Owner {
	o := share.Owner{Source: fmt.Sprintf("%p", req.Session)} // not every transport has IDs
	if extra := req.GetExtra(); extra != nil && extra.TokenInfo != nil {
		o.Name = extra.TokenInfo.UserID
	}
	return o
}

// unsubscribe ends a subscription.
func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	s.subs.removeLocked(req.Params.URI, req.Session)
	return nil
}

// removeLocked removes a client from a resource. The watch ends with its last client.
func (b *subscriptions) removeLocked(uri string, client *mcp.ServerSession) {
	w := b.watches[uri]
	if w == nil || w.clients[client] == nil {
		return
	}
	b.shares.Remove(w.clients[client])
	b.clients[client]--
	delete(w.clients, client)
	if len(w.clients) == 0 {
		w.cancel()
		delete(b.watches, uri)
	}
}

// dropWhenGone removes the subscriptions of a client that disconnects without unsubscribing;
// the SDK does not report this.
func (s *Server) dropWhenGone(client *mcp.ServerSession) {
	_ = client.Wait() // the reason does not matter
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	for uri := range s.subs.watches {
		s.subs.removeLocked(uri, client)
	}
	delete(s.subs.clients, client)
}

// notify tells the resource's clients of changes, until the session or the last of them
// is gone.
func (s *Server) notify(ctx context.Context, uri string, w *watch, found *session.Session, seen uint64) {
	defer s.forget(uri, w)
	follow(ctx, found, seen, func(uint64, bool) { s.updated(ctx, uri) })
}

// follow reports the states of a session after seen, at most one in each notifyEvery, until
// the session is gone, which the last report has, or ctx ends.
func follow(ctx context.Context, found *session.Session, seen uint64, report func(state uint64, gone bool)) {
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
		report(seen, gone != nil)
		pause.Reset(notifyEvery)
	}
}

// updated tells the clients of a resource that it has changed.
func (s *Server) updated(ctx context.Context, uri string) {
	if err := s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
		s.opt.Logger.Warn("resource update", "uri", uri, "error", err)
	}
}

// forget removes a watch that has ended by itself.
func (s *Server) forget(uri string, w *watch) {
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	w.cancel()
	if s.subs.watches[uri] == w {
		for client := range w.clients {
			s.subs.removeLocked(uri, client)
		}
	}
}
