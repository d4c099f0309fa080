package fleet

import (
	"log/slog"
	"sync"
)

// An Outage logs once when a server can no longer ship data to the fleet's NATS server, and once
// when it can again. It is safe for concurrent use.
type Outage struct {
	log  *slog.Logger
	what string

	mu    sync.Mutex // guards what follows
	waits bool       // data are waiting on disk
}

// NewOutage returns an Outage; what names the kind of data in log messages.
func NewOutage(what string, log *slog.Logger) *Outage { return &Outage{what: what, log: log} }

// Record records the result of an attempt to ship data.
func (o *Outage) Record(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err != nil && !o.waits:
		o.log.Warn("fleet: "+o.what+" are not shipped; they stay on disk until the problem is solved", "err", err)
	case err == nil && o.waits:
		o.log.Info("fleet: " + o.what + " are shipped again")
	}
	o.waits = err != nil
}
