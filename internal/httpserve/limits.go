package httpserve

import (
	"cmp"
	"time"
)

// Limits restrict the resources that clients can use. A zero field means its default.
type Limits struct {
	Conns              int           // connections at once, default 2048
	Calls              int           // calls of one client at once, default 512
	Sessions           int           // MCP sessions at once, default 2000
	Rate               float64       // requests per second of one client from one address, default 5000
	Guesses            float64       // wrong tokens per second from one address, default 5
	Body               int64         // bytes of a request's body, default 4 MiB
	Header             int           // bytes of a request's header, default 16 KiB
	HeaderTimeout      time.Duration // for a client to send a header, default DefaultHeaderTimeout
	BodyTimeout        time.Duration // for a client to send a header and a body, default 30 s
	WriteTimeout       time.Duration // for a client to read one piece of an answer, default 30 s
	IdleTimeout        time.Duration // of a connection between requests, default 2 min
	SessionIdleTimeout time.Duration // of an MCP session without requests, default 1 h
	Resume             time.Duration // for a client to resume a call whose connection was lost, default 3 s
	Replay             int           // bytes kept for clients that resume, default 16 MiB
}

// DefaultHeaderTimeout is the default time limit for sending the header of a request.
const DefaultHeaderTimeout = 10 * time.Second

// withDefaults returns l with its zero fields filled in.
func (l Limits) withDefaults() Limits {
	l.Conns = cmp.Or(l.Conns, 2048)
	l.Calls = cmp.Or(l.Calls, 512)
	l.Sessions = cmp.Or(l.Sessions, 2000)
	l.Rate = cmp.Or(l.Rate, 5000)
	l.Guesses = cmp.Or(l.Guesses, 5)
	l.Body = cmp.Or(l.Body, 4<<20)
	l.Header = cmp.Or(l.Header, 16<<10)
	l.HeaderTimeout = cmp.Or(l.HeaderTimeout, DefaultHeaderTimeout)
	l.BodyTimeout = cmp.Or(l.BodyTimeout, 30*time.Second)
	l.WriteTimeout = cmp.Or(l.WriteTimeout, 30*time.Second)
	l.IdleTimeout = cmp.Or(l.IdleTimeout, 2*time.Minute)
	l.SessionIdleTimeout = cmp.Or(l.SessionIdleTimeout, time.Hour)
	l.Resume = cmp.Or(l.Resume, 3*time.Second)
	l.Replay = cmp.Or(l.Replay, 16<<20)
	return l
}
