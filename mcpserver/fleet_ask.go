package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progress returns a function that forwards another host's progress notifications to the
// client of the call, or nil if the client did not ask for progress.
func (c *call) progress(ctx context.Context) func([]byte) {
	token := c.req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	return func(data []byte) {
		var p mcp.ProgressNotificationParams
		if json.Unmarshal(data, &p) != nil {
			return
		}
		p.ProgressToken = token
		if err := c.req.Session.NotifyProgress(ctx, &p); err != nil {
			c.srv.opt.Logger.Debug("progress", "err", err)
		}
	}
}

// askUserFirst asks the client's user, if the client can, before held input is confirmed on another
// host, which cannot ask. It returns nil if the call may be made.
func (c *call) askUserFirst(ctx context.Context) *mcp.CallToolResult {
	if c.req.Params.Name != toolConfirm {
		return nil
	}
	if err := c.answered(ctx); err != nil {
		return failed(ctx, err)
	}
	in := new(confirmArgs)
	if err := decodeArgs(c.req.Params.Arguments, in); err != nil {
		return failed(ctx, refuse("%w", err))
	}
	if err := c.mayConfirm(in.SessionID, in); err != nil {
		return c.heldAnswer(ctx, err)
	}
	return nil
}
