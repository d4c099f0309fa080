package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/session"
)

const deleteSessionDoc = `Forget a session that has ended, with its output, screen and messages, for good. For a running one use terminate_process with delete true. It never waits. It returns deleted.`

type deleteSessionArgs struct{ sessionRefs }

// deleteResult is the result for one session, or the list of results for several.
type deleteResult struct {
	*deleted
	Sessions []deleted `json:"sessions,omitempty" doc:"of session_ids: each"`
}

type deleted struct {
	SessionID string `json:"session_id"`
	Deleted   bool   `json:"deleted"`
}

func handleDeleteSession(_ context.Context, c *call, in *deleteSessionArgs) (*answer, error) {
	all, err := c.sessions(in.sessionRefs)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.Info().Status == session.StatusRunning {
			return nil, fmt.Errorf("%w: session %s (%s); nothing was deleted", session.ErrRunning, s.ID(), s.Info().Command)
		}
	}
	var out deleteResult
	var text []string
	for _, s := range all {
		if err := c.srv.mgr.Delete(s.ID()); err != nil {
			return nil, err
		}
		out.Sessions = append(out.Sessions, deleted{SessionID: c.srv.ref(s.ID()), Deleted: true})
		text = append(text, bracket([]string{c.srv.ref(s.ID()) + " deleted"}))
	}
	if !in.several() {
		out = deleteResult{deleted: &out.Sessions[0]}
	}
	return &answer{text: strings.Join(text, "\n"), data: out}, nil
}
