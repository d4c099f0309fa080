package mcpserver

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/glasstty/glasstty/internal/relay"
	"github.com/glasstty/glasstty/session"
)

// meta returns a text that the client's relay has added to the call's _meta, or "".
func (c *call) meta(key string) string {
	text, _ := c.req.Params.Meta[key].(string)
	return text
}

// named returns the context of the call's next step. When the call has a name, the step has
// one too, so that a call that is sent again after a restart of the server does nothing
// twice.
func (c *call) named(ctx context.Context) context.Context {
	ctx = c.next(ctx)
	c.steps++
	return ctx
}

// next returns the context that named will return, without counting the step.
func (c *call) next(ctx context.Context) context.Context {
	name := c.meta(relay.MetaCall)
	if name == "" {
		return ctx
	}
	return session.WithCall(ctx, fmt.Sprintf("%s.%d", name, c.steps+1))
}

// dir returns the directory for a new program: the argument asked, relative to the client's
// directory.
func (c *call) dir(asked string) string {
	here := c.meta(relay.MetaDir)
	if !filepath.IsAbs(here) || filepath.IsAbs(asked) {
		return asked
	}
	return filepath.Join(here, asked)
}
