package httpserve

import (
	"net"
	"net/http"
	"sync"

	"golang.org/x/time/rate"
)

// maxRated is the largest number of clients whose rates are remembered.
const maxRated = 4096

// A rater limits the rate of each client's requests. It allows bursts of twice the requests
// per second. It is safe for concurrent use.
type rater struct {
	limit rate.Limit
	burst int

	mu      sync.Mutex // guards clients
	clients map[string]*rate.Limiter
}

// newRater returns a rater that allows each client perSecond requests per second.
func newRater(perSecond float64) *rater {
	return &rater{
		limit:   rate.Limit(perSecond),
		burst:   max(1, int(2*perSecond)),
		clients: map[string]*rate.Limiter{},
	}
}

// allow counts a request of a client, and reports whether it is within the client's rate.
func (r *rater) allow(client string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.clients[client]
	if l == nil {
		r.makeRoomLocked()
		l = rate.NewLimiter(r.limit, r.burst)
		r.clients[client] = l
	}
	return l.Allow()
}

// makeRoomLocked forgets clients if there are maxRated: first those with their full burst
// available, for which nothing changes, then any others.
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
