package mcpserver

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressEvery is the time between two progress notifications of a waiting call. It is less than one
// second, so that a client still gets about one a second if the machine is busy.
const progressEvery = 800 * time.Millisecond

// A progress sends the progress notifications of a call. It runs in a goroutine of its own, so
// that a client that does not read cannot delay the session's wait.
type progress struct {
	note atomic.Pointer[string] // the session's latest note; nil before the first
	end  func()                 // stops the notifications
}

// startProgress starts the progress notifications of c, if its client asked for them.
// The caller must call end.
func (c *call) startProgress(ctx context.Context, l limit) *progress {
	p := &progress{end: func() {}}
	token := c.req.Params.GetProgressToken()
	if token == nil {
		return p
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.run(ctx, c, token, l.timeout)
	}()
	p.end = func() {
		cancel()
		<-done // so that no notification follows the result
	}
	return p
}

func (p *progress) run(ctx context.Context, c *call, token any, total time.Duration) {
	start := time.Now()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := c.notify(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token,
			Message:       p.message(),
			Progress:      seconds(time.Since(start)),
			Total:         seconds(total),
		})
		if err != nil {
			return
		}
	}
}

// progressKey is the context key for a func([]byte) that forwards progress to the host that
// made the call.
type progressKey struct{}

// notify sends one notification to the client of c.
func (c *call) notify(ctx context.Context, p *mcp.ProgressNotificationParams) error {
	if report, ok := ctx.Value(progressKey{}).(func([]byte)); ok {
		report(mustJSON(p))
		return nil
	}
	return c.req.Session.NotifyProgress(ctx, p)
}

// setNote stores the note for the next notification. It does not block, because package session calls
// it during a wait.
func (p *progress) setNote(_ time.Duration, note string) { p.note.Store(&note) }

func (p *progress) message() string {
	if note := p.note.Load(); note != nil && *note != "" {
		return *note
	}
	return "waiting"
}
