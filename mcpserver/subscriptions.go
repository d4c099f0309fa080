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

const (
	// notifyEvery is the shortest time between two notifications of one resource.
	notifyEvery = 100 * time.Millisecond
	// retryEvery is the time until the next attempt to watch a resource of a host that does not
	// answer.
	retryEvery = 2 * time.Second
	// watchTime is the maximum time for which a host waits in changed for a gateway, which may be gone.
	watchTime = 5 * time.Minute
)

// subscriptions holds the subscriptions of all clients. The SDK keeps the subscribers and sends the
// notifications; subscriptions decides when.
type subscriptions struct {
	mu      sync.Mutex                           // guards the fields below
	follows map[string]context.CancelFunc        // by URI: ends the goroutine that runs follow
	clients map[*mcp.ServerSession]int           // by client: number of subscriptions; dropWhenGone runs for each client
	shares  *share.Table[subscription, struct{}] // all subscriptions; chooses the one to drop beyond maxSubscriptions
}

// A subscription is one client's subscription to one resource.
type subscription struct {
	uri    string
	client *mcp.ServerSession
}

func newSubscriptions() *subscriptions {
	b := &subscriptions{follows: map[string]context.CancelFunc{}, clients: map[*mcp.ServerSession]int{}}
	b.shares = share.New(maxSubscriptions, func(sub subscription, _ struct{}) { b.forgetLocked(sub) })
	return b
}

// Limits on subscriptions. Beyond maxClientSubscriptions, a client gets an error. Beyond
// maxSubscriptions, the token with the most subscriptions loses one: the oldest of its client that
// has the most.
const (
	maxSubscriptions       = 1000
	maxClientSubscriptions = 200
)

// subscribe starts to follow a resource for a client. It accepts a URI with another scheme, because the
// protocol does not require that a resource exists, but sends no notifications for such a URI.
func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	uri, client := req.Params.URI, req.Session
	sub := subscription{uri, client}
	host, _, _ := s.resource(uri)
	state, err := s.changedOn(ctx, host, req, watchedResource{URI: uri})
	if err != nil {
		return err
	}
	if state == 0 && strings.HasPrefix(uri, uriScheme) {
		return fmt.Errorf("no resource %q; resources/list shows them", clip(uri))
	}
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	if _, known := s.subs.shares.Get(sub); known {
		return nil
	}
	if s.subs.clients[client] >= maxClientSubscriptions {
		return fmt.Errorf("this client is subscribed to %d resources, which is the maximum; unsubscribe from some", maxClientSubscriptions)
	}
	if state > 0 && s.subs.follows[uri] == nil {
		following, end := context.WithCancel(s.stopping)
		s.subs.follows[uri] = end
		go s.follow(following, host, uri, state)
	}
	if _, known := s.subs.clients[client]; !known {
		go s.dropWhenGone(client)
	}
	s.subs.clients[client]++
	s.subs.shares.Add(sub, struct{}{}, ownerOf(req)) // cannot fail: subscriptions are never busy, so one can always be dropped
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
	s.subs.endLocked(func(sub subscription) bool { return sub == subscription{req.Params.URI, req.Session} })
	return nil
}

// endLocked ends the subscriptions for which match returns true.
func (b *subscriptions) endLocked(match func(subscription) bool) {
	for sub := range b.shares.All() {
		if match(sub) && b.shares.Remove(sub) {
			b.forgetLocked(sub)
		}
	}
}

// forgetLocked must be called after a subscription was removed from shares. It stops following the
// resource if this was the last subscription to the resource.
func (b *subscriptions) forgetLocked(ended subscription) {
	b.clients[ended.client]--
	for sub := range b.shares.All() {
		if sub.uri == ended.uri {
			return
		}
	}
	if end := b.follows[ended.uri]; end != nil {
		delete(b.follows, ended.uri)
		end()
	}
}

// dropWhenGone waits until a client disconnects, and removes its remaining subscriptions. The SDK
// does not call unsubscribe for them.
func (s *Server) dropWhenGone(client *mcp.ServerSession) {
	_ = client.Wait() // the reason does not matter
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	s.subs.endLocked(func(sub subscription) bool { return sub.client == client })
	delete(s.subs.clients, client)
}

// follow notifies clients each time a resource changes after the given state. host is "" for this
// host. follow returns when ctx ends, or when the resource is gone. If the resource is gone, follow
// ends the subscriptions to it.
func (s *Server) follow(ctx context.Context, host, uri string, state uint64) {
	pause := time.NewTimer(notifyEvery) // gives the SDK time to record the first subscription
	defer pause.Stop()
	for state > 0 {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		now, err := s.changedOn(ctx, host, nil, watchedResource{uri, state})
		next := notifyEvery
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.opt.Logger.Debug("fleet: watch", "host", host, "err", err)
			next = retryEvery
		case now != state:
			state = now
			if err := s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
				s.opt.Logger.Warn("resource update", "uri", uri, "error", err)
			}
		}
		pause.Reset(next)
	}
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	s.subs.endLocked(func(sub subscription) bool { return sub.uri == uri })
}

// A watchedResource is a resource with the last state that the watcher has seen (see Server.state).
type watchedResource struct {
	URI  string `json:"uri"`
	Seen uint64 `json:"seen"`
}

// changedOn calls changed on the host of a resource. host is "" for this host. req is the client's
// request, or nil.
func (s *Server) changedOn(ctx context.Context, host string, req mcp.Request, w watchedResource) (state uint64, err error) {
	if host == "" {
		return s.changed(ctx, w), nil
	}
	err = s.ask(ctx, host, s.remoteCall(ctx, req, methodChanged, w), nil, &state)
	return state, err
}

// changed waits until the state of a resource of this host differs from w.Seen, or until ctx ends. It
// returns the state, which is 0 if there is no such resource.
func (s *Server) changed(ctx context.Context, w watchedResource) uint64 {
	if now := s.state(w.URI); now != w.Seen {
		return now
	}
	_, sess, _ := s.resource(w.URI)
	if sess == nil {
		return 0
	}
	now, err := sess.Changed(ctx, w.Seen-1)
	if errors.Is(err, session.ErrNoSession) {
		return 0
	}
	return now + 1
}

// state returns the state of a resource of this host: a number that grows with every change of
// its session, or 0 if there is no such resource.
func (s *Server) state(uri string) uint64 {
	_, sess, _ := s.resource(uri)
	if sess == nil {
		return 0
	}
	return sess.State() + 1
}
