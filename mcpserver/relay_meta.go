package mcpserver

import (
	"context"
	"path/filepath"
	"strconv"
	"time"

	"github.com/glasstty/glasstty/internal/relay"
	"github.com/glasstty/glasstty/session"
)

// meta returns a string that the client's relay added to the call's _meta, or "".
func (c *call) meta(key string) string {
	text, _ := c.req.Params.Meta[key].(string)
	return text
}

// waited returns how long the client has already waited, or 0 if this call does not repeat another.
func (c *call) waited() time.Duration {
	d, _ := time.ParseDuration(c.meta(relay.MetaWaited)) // 0 without MetaWaited
	return max(d, 0)
}

// stepContext returns the context of the call's next step. If the call has a name, the step gets a
// name too, so that a step is not done twice if the call is repeated after a restart of the server.
func (c *call) stepContext(ctx context.Context) context.Context {
	ctx = c.nextContext(ctx)
	c.steps++
	return ctx
}

// nextContext returns the context that stepContext will return, without counting the step.
func (c *call) nextContext(ctx context.Context) context.Context {
	name := c.meta(relay.MetaCall)
	if name == "" {
		return ctx
	}
	return session.WithCall(ctx, name+stepSeparator+strconv.Itoa(c.steps+1))
}

// stepSeparator separates a call's name from the number of a step.
const stepSeparator = "."

// dir returns the directory for a new program. If asked is not absolute and the client's directory is
// known, asked is relative to the client's directory.
func (c *call) dir(asked string) string {
	here := c.meta(relay.MetaDir)
	if !filepath.IsAbs(here) || filepath.IsAbs(asked) {
		return asked
	}
	return filepath.Join(here, asked)
}
