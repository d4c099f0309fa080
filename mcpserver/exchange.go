package mcpserver

import (
	"context"
	"fmt"
	"slices"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
)

// replyAnswer returns the answer with the reply r, or err.
func replyAnswer(r *session.Reply, err error) (*answer, error) {
	if err != nil {
		return nil, err
	}
	return &answer{text: replyText(r), data: newReply(r)}, nil
}

// exchange types the input in, waits as w says and returns the reply.
func (c *call) exchange(ctx context.Context, s *session.Session, in session.Input, w session.Wait, l limit) (*session.Reply, error) {
	p := c.startProgress(ctx, l)
	defer p.end()
	r, err := c.typeAndWait(c.stepContext(ctx), s, in, w, p)
	if err != nil {
		return nil, err
	}
	return c.clientReply(r, l), nil
}

// clientReply returns r for the client. If the wait was cut short because the call has no progress token, it
// adds a note. In an answer from a recording, it shows a lost session as unreachable if the host may come back.
func (c *call) clientReply(r *session.Reply, l limit) *session.Reply {
	if l.capped && r.Reason == detect.Timeout {
		r = withNote(r, l.note())
	}
	out := c.srv.qualifyReply(r)
	if c.recording.unreachable(r.Status) {
		out.Status, out.Reason = StatusUnreachable, detect.Returned
	}
	return out
}

// note returns the note for a wait that was cut short.
func (l limit) note() string {
	return fmt.Sprintf("stopped after %s because the client asked for no progress; carry on with wait_for", formatDuration(l.timeout))
}

// withNote returns a copy of r with one more note.
func withNote(r *session.Reply, note string) *session.Reply {
	out := *r
	out.Notes = append(slices.Clone(r.Notes), note)
	return &out
}
