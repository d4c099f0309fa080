package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
)

// session returns the session that a call names by id or name.
func (c *call) session(ref string) (*session.Session, error) {
	s, err := c.srv.mgr.Session(ref)
	if errors.Is(err, session.ErrNoSession) {
		return nil, fmt.Errorf("no session %q; call list_sessions", clip(ref))
	}
	return s, err
}

// exchange types in, waits, and answers with the common reply.
func (c *call) exchange(ctx context.Context, s *session.Session, in session.Input, w session.Wait, l limit) (*answer, error) {
	r, err := c.exchanged(ctx, s, in, w, l)
	if err != nil {
		return nil, err
	}
	return &answer{text: replyText(r), data: newReply(r)}, nil
}

// exchanged is exchange without rendering.
func (c *call) exchanged(ctx context.Context, s *session.Session, in session.Input, w session.Wait, l limit) (*session.Reply, error) {
	b := c.beat(ctx, l)
	defer b.end()
	r, err := c.typed(c.named(ctx), s, in, w, b)
	if err != nil {
		return nil, err
	}
	return l.noted(r), nil
}

// noted adds a note to r when the wait was cut short because the call has no progress
// token.
func (l limit) noted(r *session.Reply) *session.Reply {
	if !l.capped || r.Reason != detect.Timeout {
		return r
	}
	return withNote(r, l.note())
}

// note is the text of that note.
func (l limit) note() string {
	return fmt.Sprintf("stopped after %s because the client asked for no progress; carry on with wait_for", brief(l.timeout))
}

// withNote returns r with one more note; the session's own reply stays as it is.
func withNote(r *session.Reply, note string) *session.Reply {
	out := *r
	out.Notes = append(slices.Clone(r.Notes), note)
	return &out
}
