package mcpserver

import (
	"context"

	"github.com/glasstty/glasstty/session"
)

const waitForDoc = `Wait, without typing, until the program is ready, exits or shows pattern, or the first of session_ids does. For after is_complete false; to look at once use read_output or snapshot.
Blocks up to timeout; others may type meanwhile. Returns unread output or the screen, reason, is_complete; moves only the reader's cursor.`

type waitForArgs struct {
	SessionID  string   `json:"session_id" doc:"id or name"`
	SessionIDs []string `json:"session_ids" min:"1" max:"100" doc:"instead: the first done answers"`
	Pattern    *string  `json:"pattern" doc:"regex on unread text and screen"`
	Timeout    *float64 `json:"timeout" min:"0.1" max:"600" doc:"seconds" default:"50"`
	waiting
	sinceArg
}

func waitFor() tool {
	return newTool[waitForArgs, reply]("wait_for", waitForDoc, hints{readOnly: true}, handleWaitFor)
}

func handleWaitFor(ctx context.Context, c *call, in *waitForArgs) (*answer, error) {
	l := c.limit(in.Timeout, waitTimeout)
	w, err := in.wait(l, "pattern", in.Pattern)
	if err != nil {
		return nil, err
	}
	switch {
	case in.SessionID != "" && in.SessionIDs != nil:
		return nil, refuse(`give "session_id" or "session_ids", not both`)
	case in.SessionID == "" && in.SessionIDs == nil:
		return nil, refuse(`argument "session_id" is missing, or "session_ids"; list_sessions shows them`)
	case in.SessionIDs != nil && in.Since != nil:
		return nil, refuse(`argument "since" is one session's revision; give it with "session_id"`)
	case in.SessionIDs != nil:
		return c.waitAny(ctx, in, w, l)
	}
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	if err := in.into(&w, s); err != nil {
		return nil, err
	}
	return c.exchange(ctx, s, session.Input{}, w, l)
}
