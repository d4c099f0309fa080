package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressEvery is how often a waiting call reports progress. The contract
// asks for at least once a second; the margin is for a busy machine.
const progressEvery = 800 * time.Millisecond

// A beat sends the progress notifications of a call. It runs in a goroutine of its own, so
// that a client that does not read cannot delay the session's wait.
type beat struct {
	mu   sync.Mutex
	note string // the session's latest note; guarded by mu
	stop func()
}

// beat starts the progress notifications of c, if its client asked for them.
// The caller must call end.
func (c *call) beat(ctx context.Context, l limit) *beat {
	b := &beat{stop: func() {}}
	token := c.req.Params.GetProgressToken()
	if token == nil {
		return b
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.run(ctx, c, token, l.timeout)
	}()
	b.stop = func() {
		cancel()
		<-done // no notification comes after the result
	}
	return b
}

func (b *beat) run(ctx context.Context, c *call, token any, total time.Duration) {
	start := time.Now()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := c.req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token,
			Message:       b.message(),
			Progress:      seconds(time.Since(start)),
			Total:         seconds(total),
		})
		if err != nil {
			return
		}
	}
}

// say keeps the note for the next notification; package session calls it while
// it waits, so it returns at once.
func (b *beat) say(_ time.Duration, note string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.note = note
}

func (b *beat) message() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.note == "" {
		return "waiting"
	}
	return b.note
}

// end ends the notifications.
func (b *beat) end() { b.stop() }
