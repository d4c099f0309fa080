package httpserve

import (
	"net"
	"net/http"
	"sync"

	"golang.org/x/time/rate"
)

// maxRated is how many clients' rates are remembered at once.
const maxRated = 4096

// A rater gives each client a rate, with bursts of twice that much. It is safe
// for concurrent use.
type rater struct {
	limit rate.Limit
	burst int

	mu      sync.Mutex // guards clients
	clients map[string]*rate.Limiter
}

// newRater returns a rater of this many requests a second.
func newRater(perSecond float64) *rater {
	return &rater{
		limit:   rate.Limit(perSecond),
		burst:   max(1, int(2*perSecond)),
		clients: map[string]*rate.Limiter{},
	}
}

// of returns the rate limiter of a client.
func (r *rater) of(client string) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.clients[client]
	if l == nil {
		r.makeRoomLocked()
		l = rate.NewLimiter(r.limit, r.burst)
		r.clients[client] = l
	}
	return l
}

// makeRoomLocked forgets clients when there are maxRated: first those with their full burst
// available, for whom nothing changes, otherwise any client.
func (r *rater) makeRoomLocked() {
	if len(r.clients) < maxRated {
		return
	}
	for name, l := range r.clients {
		if l.Tokens() >= float64(r.burst) {
			delete(r.clients, name)
		}
	}
	for name := range r.clients {
		if len(r.clients) < maxRated {
			return
		}
		delete(r.clients, name)
	}
}

// allow takes one request of a client.
func (r *rater) allow(client string) bool { return r.of(client).Allow() }

// hostOf returns the address that a request comes from, without its port.
func hostOf(r *http.Request) string { return hostPart(r.RemoteAddr) }

// hostPart returns an address without its port.
func hostPart(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}
