package fleet

import (
	"log/slog"
	"sync"
)

// An Outage logs once when a server can no longer ship data to the fleet's NATS server, and once
// when the server can ship data again. It is safe for concurrent use.
type Outage struct {
	log  *slog.Logger
	kind string // kind of data, for log messages

	mu      sync.Mutex // guards what follows
	failing bool       // the last attempt failed
}

// NewOutage returns an Outage for a kind of data, such as recordings.
func NewOutage(kind string, log *slog.Logger) *Outage { return &Outage{kind: kind, log: log} }

// Record records the result of an attempt to ship data.
func (o *Outage) Record(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err != nil && !o.failing:
		o.log.Warn("fleet: "+o.kind+" are not shipped; they stay on disk until the problem is solved", "err", err)
	case err == nil && o.failing:
		o.log.Info("fleet: " + o.kind + " are shipped again")
	}
	o.failing = err != nil
}
