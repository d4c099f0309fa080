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
	SessionID     string   `json:"session_id" need:"true" doc:"id or name"`
	Input         string   `json:"input" need:"true" min:"1" doc:"exactly the held text"`
	Justification string   `json:"justification" need:"true" min:"1" max:"2000" doc:"why it is intended and safe"`
	WaitFor       *string  `json:"wait_for" doc:"regex, see send_and_read"`
	Timeout       *float64 `json:"timeout" min:"0.1" max:"600" doc:"seconds" default:"5"`
	waiting
	sinceArg `schema:"hidden"`
}

// toolConfirm is the name of the tool that sends held input.
const toolConfirm = "confirm_dangerous_command"

func confirmDangerousCommand() tool {
	return newTool[confirmArgs, reply](toolConfirm, confirmDoc,
		hints{destructive: true, openWorld: true}, handleConfirm)
}

func handleConfirm(ctx context.Context, c *call, in *confirmArgs) (*answer, error) {
	if c.srv.within(ctx) {
		return nil, errWithin
	}
	if strings.TrimSpace(in.Justification) == "" {
		return nil, refuse("justification is blank: say why the input is meant and safe")
	}
	l := c.limit(in.Timeout, sendTimeout)
	if c.srv.mgr.HeldStart(in.SessionID) || c.accepted != nil && c.srv.mgr.HeldStart(c.accepted.Session) {
		return c.confirmStart(ctx, in, l)
	}
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	w, err := in.wait(l, "wait_for", in.WaitFor)
	if err != nil {
		return nil, err
	}
	if err := in.into(&w, s); err != nil {
		return nil, err
	}
	if err := s.MayConfirm(in.Input, c.asks()); err != nil {
		return nil, err
	}
	if err := c.mayConfirm(s.ID(), in); err != nil {
		return nil, err
	}
	b := c.beat(ctx, l)
	defer b.end()
	held, err := s.Confirm(in.Input, c.allowed(s.ID(), in.Input))
	if err != nil {
		return nil, err
	}
	r, err := held.Exchange(c.named(ctx), w, b.say)
	if err != nil {
		return nil, err
	}
	c.srv.opt.Logger.Info("confirmed", "session", s.ID(), "input", in.Input, "justification", in.Justification)
	r = l.noted(r)
	return &answer{text: replyText(r), data: newReply(r)}, nil
}

// allowed reports whether the client's user has allowed this input.
func (c *call) allowed(ref, input string) bool {
	return c.accepted != nil && *c.accepted == heldRef{Session: ref, Input: input}
}

// mayConfirm returns an error that asks the client's user when the client can do so: the
// model alone may not confirm then.
func (c *call) mayConfirm(ref string, in *confirmArgs) error {
	if !c.asks() || c.allowed(ref, in.Input) {
		return nil
	}
	return &askError{heldRef{Session: ref, Input: in.Input},
		fmt.Sprintf("The agent is about to type into session %s what may be dangerous:\n\n%s\n\nIts reason: %s", ref, plainly(runes.Clip(in.Input, maxAsked)), visible(runes.Clip(in.Justification, maxAsked)))}
}

// confirmStart starts the program whose start was held.
func (c *call) confirmStart(ctx context.Context, in *confirmArgs, l limit) (*answer, error) {
	if err := c.mayConfirm(in.SessionID, in); err != nil {
		return nil, err
	}
	w, err := in.wait(l, "wait_for", in.WaitFor)
	if err != nil {
		return nil, err
	}
	s, err := c.srv.mgr.ConfirmStart(c.named(ctx), in.SessionID, in.Input, c.allowed(in.SessionID, in.Input))
	if err != nil {
		return nil, err
	}
	c.srv.opt.Logger.Info("confirmed", "session", s.ID(), "input", in.Input, "justification", in.Justification)
	b := c.beat(ctx, l)
	defer b.end()
	r, err := s.Exchange(c.named(ctx), session.Input{}, w, b.say)
	if err != nil {
		return nil, err
	}
	r = withNote(l.noted(r), "started as session "+s.ID())
	return &answer{text: replyText(r), data: newReply(r)}, nil
}
