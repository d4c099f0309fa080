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

// notifyEvery is the shortest time between two notifications of one resource.
const notifyEvery = 100 * time.Millisecond

// subscriptions watches the resources that clients have subscribed to. The SDK keeps the
// subscribers and sends the notifications; subscriptions decides when.
type subscriptions struct {
	mu      sync.Mutex                           // guards the fields below
	watches map[string]*watch                    // by URI
	hosts   map[string]*hostWatch                // watches of other hosts, by name
	clients map[*mcp.ServerSession]int           // number of subscriptions; each key has a running dropWhenGone
	shares  *share.Table[subscription, struct{}] // chooses the subscription to drop when there are too many
}

// A subscription is one client's subscription to one resource.
type subscription struct {
	uri    string
	client *mcp.ServerSession
}

func newSubscriptions() *subscriptions {
	b := &subscriptions{watches: map[string]*watch{}, hosts: map[string]*hostWatch{}, clients: map[*mcp.ServerSession]int{}}
	b.shares = share.New(maxSubscriptions, func(sub subscription, _ struct{}) { b.removeLocked(sub) })
	return b
}

// A watch follows one resource for all clients subscribed to it.
type watch struct {
	clients map[*mcp.ServerSession]bool
	cancel  context.CancelFunc
}

// Limits on subscriptions. Beyond maxClientSubscriptions, a client gets an error. Beyond
// maxSubscriptions, the client with the most subscriptions loses its oldest one.
const (
	maxSubscriptions       = 1000
	maxClientSubscriptions = 200
)

// subscribe starts to follow a resource for a client. It accepts URIs with other schemes,
// although their clients are never notified, because the protocol does not require that a
// resource exists.
func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	uri, client := req.Params.URI, req.Session
	sub := subscription{uri, client}
	host, sess, _ := s.resource(uri)
	seen := uint64(0)
	var err error
	if host != "" {
		err = s.forwardMethod(ctx, host, methodState, req, uri, &seen, nil)
	} else if sess == nil && strings.HasPrefix(uri, uriScheme) {
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
	if w != nil && w.clients[client] {
		return nil
	}
	if s.subs.clients[client] >= maxClientSubscriptions {
		return fmt.Errorf("this client is subscribed to %d resources, the most it may be; unsubscribe from some", maxClientSubscriptions)
	}
	if w == nil {
		ctx, cancel := context.WithCancel(s.stopping)
		w = &watch{clients: map[*mcp.ServerSession]bool{}, cancel: cancel}
		s.subs.watches[uri] = w
		switch {
		case host != "":
			w.cancel = func() { cancel(); s.unwatchRemoteLocked(host, uri) }
			s.watchRemoteLocked(host, uri, seen)
		case sess != nil:
			go s.notifyChanges(ctx, uri, w, sess, sess.State())
		}
	}
	w.clients[client] = true
	if _, known := s.subs.clients[client]; !known {
		go s.dropWhenGone(client)
	}
	s.subs.clients[client]++
	s.subs.shares.Add(sub, struct{}{}, ownerOf(req)) // cannot fail: subscriptions are never busy, so that one can always be dropped
	return nil
}

// ownerOf returns the owner of a subscription: its token and its client.
func ownerOf(req *mcp.SubscribeRequest) share.Owner {
	o := share.Owner{Source: fmt.Sprintf("%p", req.Session)} // not every transport assigns session IDs
	if extra := req.GetExtra(); extra != nil && extra.TokenInfo != nil {
		o.Name = extra.TokenInfo.UserID
	}
	return o
}

// unsubscribe ends a subscription.
func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	s.subs.removeLocked(subscription{req.Params.URI, req.Session})
	return nil
}

// removeLocked ends a subscription. The watch ends with its last client.
func (b *subscriptions) removeLocked(sub subscription) {
	w := b.watches[sub.uri]
	if w == nil || !w.clients[sub.client] {
		return
	}
	b.shares.Remove(sub)
	b.clients[sub.client]--
	delete(w.clients, sub.client)
	if len(w.clients) == 0 {
		w.cancel()
		delete(b.watches, sub.uri)
	}
}

// goneLocked ends all subscriptions to a resource that is gone.
func (b *subscriptions) goneLocked(uri string) {
	if w := b.watches[uri]; w != nil {
		for client := range w.clients {
			b.removeLocked(subscription{uri, client})
		}
	}
}

// dropWhenGone removes the subscriptions of a client that disconnects without unsubscribing;
// the SDK does not report this.
func (s *Server) dropWhenGone(client *mcp.ServerSession) {
	_ = client.Wait() // the reason does not matter
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	for uri := range s.subs.watches {
		s.subs.removeLocked(subscription{uri, client})
	}
	delete(s.subs.clients, client)
}

// notifyChanges notifies the clients of a resource each time it changes, until the session is
// gone or the last client unsubscribes.
func (s *Server) notifyChanges(ctx context.Context, uri string, w *watch, sess *session.Session, seen uint64) {
	defer s.forget(uri, w)
	follow(ctx, sess, seen, func(uint64, bool) { s.updated(ctx, uri) })
}

// follow calls report for the states of a session after seen, at most once per notifyEvery,
// until ctx ends or the session is gone. In the last call for a session, gone is true.
func follow(ctx context.Context, sess *session.Session, seen uint64, report func(state uint64, gone bool)) {
	// The first pause also gives the SDK time to note the subscription.
	pause := time.NewTimer(notifyEvery)
	defer pause.Stop()
	for err := error(nil); err == nil; {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		if seen, err = sess.Changed(ctx, seen); ctx.Err() != nil {
			return
		}
		report(seen, err != nil)
		pause.Reset(notifyEvery)
	}
}

// updated tells the clients of a resource that it has changed.
func (s *Server) updated(ctx context.Context, uri string) {
	if err := s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
		s.opt.Logger.Warn("resource update", "uri", uri, "error", err)
	}
}

// forget removes a watch whose session is gone.
func (s *Server) forget(uri string, w *watch) {
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	if s.subs.watches[uri] == w {
		s.subs.goneLocked(uri)
	}
}
