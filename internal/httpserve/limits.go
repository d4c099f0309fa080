package httpserve

import (
	"cmp"
	"time"
)

// Limits bound what clients can make the server hold. A zero field stands for
// its default.
type Limits struct {
	Conns       int           // connections at once, default MaxConns
	Calls       int           // calls of one client that wait at once, default MaxCalls
	Clients     int           // MCP sessions at once, default MaxClients
	Rate        float64       // requests a second of one client, default MaxRate
	Guesses     float64       // wrong tokens a second of one address, default MaxGuesses
	Body        int64         // bytes of a request's body, default MaxBody
	Header      int           // bytes of a request's header, default MaxHeader
	HeaderTime  time.Duration // for sending the header, default MaxHeaderTime
	BodyTime    time.Duration // for sending the body, default MaxBodyTime
	WriteTime   time.Duration // for taking one piece of an answer, default MaxWriteTime
	Idle        time.Duration // of a connection between requests, default MaxIdle
	SessionIdle time.Duration // of an MCP session without requests, default MaxSessionIdle
	Resume      time.Duration // for coming back to a call whose connection was lost, default MaxResume
	Replay      int           // bytes kept for clients that come back, default MaxReplay
}

// The defaults of Limits.
const (
	MaxConns       = 2048
	MaxCalls       = 512
	MaxClients     = 2000
	MaxRate        = 5000
	MaxGuesses     = 5
	MaxBody        = 4 << 20
	MaxHeader      = 16 << 10
	MaxHeaderTime  = 10 * time.Second
	MaxBodyTime    = 30 * time.Second
	MaxWriteTime   = 30 * time.Second
	MaxIdle        = 2 * time.Minute
	MaxSessionIdle = time.Hour
	MaxResume      = 3 * time.Second
	MaxReplay      = 16 << 20
)

// withDefaults returns l with its zero fields filled in.
func (l Limits) withDefaults() Limits {
	l.Conns = cmp.Or(l.Conns, MaxConns)
	l.Calls = cmp.Or(l.Calls, MaxCalls)
	l.Clients = cmp.Or(l.Clients, MaxClients)
	l.Rate = cmp.Or(l.Rate, MaxRate)
	l.Guesses = cmp.Or(l.Guesses, MaxGuesses)
	l.Body = cmp.Or(l.Body, MaxBody)
	l.Header = cmp.Or(l.Header, MaxHeader)
	l.HeaderTime = cmp.Or(l.HeaderTime, MaxHeaderTime)
	l.BodyTime = cmp.Or(l.BodyTime, MaxBodyTime)
	l.WriteTime = cmp.Or(l.WriteTime, MaxWriteTime)
	l.Idle = cmp.Or(l.Idle, MaxIdle)
	l.SessionIdle = cmp.Or(l.SessionIdle, MaxSessionIdle)
	l.Resume = cmp.Or(l.Resume, MaxResume)
	l.Replay = cmp.Or(l.Replay, MaxReplay)
	return l
}
