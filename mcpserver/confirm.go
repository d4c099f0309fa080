package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/session"
)

const confirmDoc = `Send input that the danger check has held, once you are sure. Use it only after a call failed because its input was held: repeat that text and say why it is right. It fails when nothing is held or a person has refused it. For all else use send_and_read.
It returns the unread output or the screen, the prompt, reason and is_complete. The command then runs, with all its effects.`

type confirmArgs struct {
	SessionID     string `json:"session_id" need:"true" doc:"id or name"`
	Input         string `json:"input" need:"true" doc:"exactly the held text; empty for a held Enter"`
	Justification string `json:"justification" need:"true" min:"1" max:"2000" doc:"why it is intended and safe"`
	answerArgs
}

// toolConfirm is the name of the tool that sends held input.
const toolConfirm = "confirm_dangerous_command"

func handleConfirm(ctx context.Context, c *call, in *confirmArgs) (*answer, error) {
	if c.srv.within(ctx) {
		return nil, errWithin
	}
	if strings.TrimSpace(in.Justification) == "" {
		return nil, refuse("justification is blank: say why the input is intended and safe")
	}
	ref, err := c.srv.localID(in.SessionID)
	if err != nil {
		return nil, err
	}
	start := c.srv.mgr.HeldStart(ref) || c.accepted != nil && c.srv.mgr.HeldStart(c.accepted.Session)
	var s *session.Session
	if !start {
		if s, err = c.srv.session(in.SessionID); err != nil {
			return nil, err
		}
		if err := s.CheckConfirm(in.Input, c.canAsk()); err != nil {
			return nil, err
		}
		ref = s.ID()
	}
	w, l, err := in.answerArgs.waitIn(c, s)
	if err != nil {
		return nil, err
	}
	if err := c.checkAllowed(ref, in); err != nil {
		return nil, err
	}
	p := c.startProgress(ctx, l)
	defer p.end()
	var r *session.Reply
	if !start {
		r, err = typeConfirmed(c.stepContext(ctx), s, in.Input, c.allowed(ref, in.Input), w, p)
	} else if s, err = c.srv.mgr.ConfirmStart(c.stepContext(ctx), ref, in.Input, c.allowed(ref, in.Input)); err == nil {
		r, err = s.Exchange(c.stepContext(ctx), session.Input{}, w, p.setNote)
	}
	if err != nil {
		return nil, err
	}
	c.srv.opt.Logger.Info("confirmed", "session", s.ID(), "input", in.Input, "justification", in.Justification)
	if r = c.clientReply(r, l); start {
		r = withNote(r, "started as session "+c.srv.ref(s.ID()))
	}
	return replyAnswer(r, nil)
}

// allowed reports whether the client's user has allowed this input.
func (c *call) allowed(ref, input string) bool {
	return c.accepted != nil && *c.accepted == heldRef{Session: ref, Input: input}
}

// checkAllowed returns an error that asks the client's user, if the client can ask and the user has
// not allowed the input. The model may confirm without the user only if its client cannot ask.
func (c *call) checkAllowed(ref string, in *confirmArgs) error {
	if !c.canAsk() || c.allowed(ref, in.Input) {
		return nil
	}
	return &askError{heldRef{Session: ref, Input: in.Input},
		fmt.Sprintf("The agent is about to type this into session %s, and it may be dangerous:\n\n%s\n\nIts reason: %s", ref, quoteForPerson(runes.Clip(in.Input, maxAsked)), sanitize(runes.Clip(in.Justification, maxAsked)))}
}

// typeConfirmed confirms the held input with this text, types it, and waits. person reports whether
// a person has confirmed it.
func typeConfirmed(ctx context.Context, s *session.Session, text string, person bool, w session.Wait, p *progress) (*session.Reply, error) {
	held, err := s.Confirm(text, person)
	if err != nil {
		return nil, err
	}
	return held.Exchange(ctx, w, p.setNote)
}
