package mcpserver

import (
	"context"
	"fmt"
	"maps"
	"slices"
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
	// reportEvery is the longest time between two reports of a watch that has seen changes.
	// The repetition makes up for lost reports.
	// It is also the pause after an attempt to watch a host that does not answer.
	reportEvery = 2 * time.Second
)

// subscriptions watches the resources that clients have subscribed to. The SDK keeps the
// subscribers and sends the notifications; subscriptions decides when.
type subscriptions struct {
	mu      sync.Mutex                         // guards the fields below
	watches map[string]*hostWatch              // by host, "" for this one
	clients map[*mcp.ServerSession]int         // number of subscriptions; each key has a running dropWhenGone
	shares  *share.Table[subscription, string] // the subscriptions with their hosts; chooses the one to drop when there are too many
}

// A subscription is one client's subscription to one resource.
type subscription struct {
	uri    string
	client *mcp.ServerSession
}

func newSubscriptions() *subscriptions {
	b := &subscriptions{watches: map[string]*hostWatch{}, clients: map[*mcp.ServerSession]int{}}
	b.shares = share.New(maxSubscriptions, b.endedLocked)
	return b
}

// A hostWatch follows all resources of one host that clients are subscribed to. Its fields are
// guarded by subscriptions' mu.
type hostWatch struct {
	seen  map[string]uint64 // last reported state of each URI
	renew func()            // ends the watch under way, so that the next one has all of seen
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
	state := stateOf(sess)
	if host != "" {
		if err := s.forwardMethod(ctx, host, methodState, req, uri, &state, nil); err != nil {
			return err
		}
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
		return fmt.Errorf("this client is subscribed to %d resources, the most it may be; unsubscribe from some", maxClientSubscriptions)
	}
	if state > 0 {
		s.watchLocked(host, uri, state)
	}
	if _, known := s.subs.clients[client]; !known {
		go s.dropWhenGone(client)
	}
	s.subs.clients[client]++
	s.subs.shares.Add(sub, host, ownerOf(req)) // cannot fail: subscriptions are never busy, so that one can always be dropped
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

// endLocked ends the subscriptions that which reports.
func (b *subscriptions) endLocked(which func(subscription) bool) {
	for sub, host := range b.shares.All() {
		if which(sub) && b.shares.Remove(sub) {
			b.endedLocked(sub, host)
		}
	}
}

// endedLocked forgets a subscription that is not in shares any more. The resource is followed
// until its last subscription ends.
func (b *subscriptions) endedLocked(ended subscription, host string) {
	b.clients[ended.client]--
	for sub := range b.shares.All() {
		if sub.uri == ended.uri {
			return
		}
	}
	if w := b.watches[host]; w != nil {
		if delete(w.seen, ended.uri); len(w.seen) == 0 {
			delete(b.watches, host)
			w.renew()
		}
	}
}

// dropWhenGone removes the subscriptions of a client that disconnects without unsubscribing;
// the SDK does not report this.
func (s *Server) dropWhenGone(client *mcp.ServerSession) {
	_ = client.Wait() // the reason does not matter
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	s.subs.endLocked(func(sub subscription) bool { return sub.client == client })
	delete(s.subs.clients, client)
}

// watchLocked starts to follow a resource on a host from a state, unless it is followed
// already.
func (s *Server) watchLocked(host, uri string, state uint64) {
	w := s.subs.watches[host]
	if w == nil {
		w = &hostWatch{seen: map[string]uint64{}, renew: func() {}}
		s.subs.watches[host] = w
		go s.follow(host, w)
	}
	if w.seen[uri] == 0 {
		w.seen[uri] = state
		w.renew()
	}
}

// follow watches a host and notifies clients, until nobody is subscribed to its resources or
// the Server stops.
func (s *Server) follow(host string, w *hostWatch) {
	pause := time.NewTimer(notifyEvery) // the SDK notes the first subscription meanwhile
	defer pause.Stop()
	for {
		select {
		case <-s.stopping.Done():
			return
		case <-pause.C:
		}
		ctx, cancel := context.WithCancel(s.stopping)
		s.subs.mu.Lock()
		seen := maps.Clone(w.seen)
		w.renew = cancel
		s.subs.mu.Unlock()
		if len(seen) == 0 {
			cancel()
			return
		}
		next := notifyEvery
		watch, report := s.watch, func(states map[string]uint64) { s.pass(ctx, w, states) }
		if host != "" {
			watch = s.watchRemote(host)
		}
		if err := watch(ctx, seen, report); err != nil && ctx.Err() == nil {
			s.opt.Logger.Debug("fleet: watch", "host", host, "err", err)
			next = reportEvery
		}
		cancel()
		pause.Reset(next)
	}
}

// pass notifies clients of the resources whose states differ from those last reported. It
// ignores resources that are not watched.
func (s *Server) pass(ctx context.Context, w *hostWatch, states map[string]uint64) {
	var changed []string
	s.subs.mu.Lock()
	for uri, state := range states {
		if seen, ok := w.seen[uri]; ok && seen != state {
			w.seen[uri] = state
			changed = append(changed, uri)
		}
	}
	s.subs.mu.Unlock()
	slices.Sort(changed)
	for _, uri := range changed {
		if err := s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
			s.opt.Logger.Warn("resource update", "uri", uri, "error", err)
		}
	}
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	s.subs.endLocked(func(sub subscription) bool {
		state, ok := w.seen[sub.uri]
		return ok && state == 0
	})
}

// stateOf returns the state of a session's resources: a number that grows with every change,
// or 0 if there is no session.
func stateOf(s *session.Session) uint64 {
	if s == nil {
		return 0
	}
	return s.State() + 1
}

// watch reports the states of this host's resources that differ from those in seen, at most
// once per notifyEvery, until ctx ends. Each report repeats those before.
func (s *Server) watch(ctx context.Context, seen map[string]uint64, report func(map[string]uint64)) error {
	if len(seen) > maxSubscriptions {
		return fmt.Errorf("%d resources are to be watched at once; at most %d can be", len(seen), maxSubscriptions)
	}
	now, changed := maps.Clone(seen), map[string]uint64{}
	pause := time.NewTicker(notifyEvery)
	defer pause.Stop()
	for ctx.Err() == nil {
		s.awaitChange(ctx, now)
		for uri, state := range now {
			_, sess, _ := s.resource(uri)
			if now[uri] = stateOf(sess); now[uri] != state {
				changed[uri] = now[uri]
			}
		}
		if len(changed) > 0 && ctx.Err() == nil {
			report(changed)
		}
		<-pause.C
	}
	return nil
}

// awaitChange waits until the state of a resource differs from the one in now, at most for
// reportEvery.
func (s *Server) awaitChange(ctx context.Context, now map[string]uint64) {
	ctx, wake := context.WithTimeout(ctx, reportEvery)
	defer wake()
	for uri, state := range now {
		_, sess, _ := s.resource(uri)
		switch {
		case sess != nil:
			go func() {
				_, _ = sess.Changed(ctx, state-1) // the caller looks at the states of all
				wake()
			}()
		case state != 0:
			return
		}
	}
	<-ctx.Done()
}
