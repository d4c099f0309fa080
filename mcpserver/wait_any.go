package mcpserver

import (
	"context"

	"github.com/glasstty/glasstty/session"
)

// waitAny waits on several sessions and answers for the first that is done.
func (c *call) waitAny(ctx context.Context, in *waitForArgs, w session.Wait, l limit) (*answer, error) {
	var all []*session.Session
	for _, ref := range in.SessionIDs {
		s, err := c.session(ref)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	b := c.beat(ctx, l)
	defer b.end()
	r, err := session.WaitAny(c.named(ctx), all, w, b.say)
	if err != nil {
		return nil, err
	}
	r = l.noted(r)
	return &answer{text: replyText(r), data: newReply(r)}, nil
}
