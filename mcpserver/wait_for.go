package mcpserver

import (
	"context"

	"github.com/glasstty/glasstty/session"
)

const waitForDoc = `Wait, without typing, until the program is ready, exits, or shows pattern. Use it after is_complete false, or on several sessions. To look at once use read_output or snapshot.
It returns the unread output or the screen, reason and is_complete, and moves only the reader's cursor.`

type waitForArgs struct {
	sessionRefs
	All     bool     `json:"all" doc:"wait for all of session_ids, not for the first"`
	Pattern *string  `json:"pattern" doc:"regex on the unread output and the screen"`
	Timeout *float64 `json:"timeout" min:"0.1" max:"600" doc:"seconds" default:"50"`
	waitArgs
	sinceArg
}

// waitResult is the reply of one session, or the replies of all sessions.
type waitResult struct {
	*reply
	*waitedAll
}

// waitedAll is the result of a wait for all sessions in a list.
type waitedAll struct {
	IsComplete bool    `json:"is_complete"`
	Elapsed    float64 `json:"elapsed,omitempty"`
	Sessions   []reply `json:"sessions,omitempty" doc:"with all: the reply of each"`
}

func handleWaitFor(ctx context.Context, c *call, in *waitForArgs) (*answer, error) {
	l := c.limit(in.Timeout, waitTimeout)
	w, err := in.wait(l, "pattern", in.Pattern)
	if err != nil {
		return nil, err
	}
	switch {
	case in.several() && in.Since != nil:
		return nil, refuse(`argument "since" is one session's revision; give it with "session_id"`)
	case in.All && !in.several():
		return nil, refuse(`argument "all" needs "session_ids"`)
	}
	all, err := c.sessions(in.sessionRefs)
	switch {
	case err != nil:
		return nil, err
	case in.All:
		return c.waitAll(ctx, all, w, l)
	case in.several():
		return c.waitAny(ctx, all, w, l)
	}
	if err := in.setSince(&w, all[0]); err != nil {
		return nil, err
	}
	return replyAnswer(c.exchange(ctx, all[0], session.Input{}, w, l))
}
