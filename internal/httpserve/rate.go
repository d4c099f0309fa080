package httpserve

import (
	"net"
	"net/http"

	"golang.org/x/time/rate"

	"github.com/glasstty/glasstty/internal/share"
)

// maxRated is the maximum number of clients whose rates are remembered.
const maxRated = 4096

// A rateLimiter limits the rate of each client's requests. A burst may have as many requests as the
// rate allows in two seconds. A rateLimiter is safe for concurrent use.
type rateLimiter struct {
	limit   rate.Limit
	burst   int
	clients *share.Table[string, *rate.Limiter]
}

// newRateLimiter returns a rateLimiter that allows each client perSecond requests per second.
func newRateLimiter(perSecond float64) *rateLimiter {
	return &rateLimiter{
		limit:   rate.Limit(perSecond),
		burst:   max(1, int(2*perSecond)),
		clients: share.New(maxRated, func(string, *rate.Limiter) {}),
	}
}

// allow counts a request of a client, and reports whether it is within the client's rate.
func (r *rateLimiter) allow(client string) bool {
	l, ok := r.clients.Get(client)
	if !ok {
		l = rate.NewLimiter(r.limit, r.burst)
		r.clients.Add(client, l, share.Owner{Name: client})
	}
	r.clients.Use(client)
	return l.Allow()
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
