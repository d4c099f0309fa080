package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/session"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An askError is the error of a call whose input needs the permission of the client's user.
type askError struct {
	heldRef
	message string
}

// Error is the text for clients that cannot ask their user.
func (e *askError) Error() string { return e.message }

// A heldRef identifies held input. The client gets it with the question to the user, and returns it
// with the answer. The session then checks whether the input is still held.
type heldRef struct {
	Session string `json:"session"`
	Input   string `json:"input"`
}

// askID is the ID of the question in a result.
const askID = "confirm"

// maxAsked is the maximum number of bytes of a text that a question quotes.
const maxAsked = 2000

// heldAnswer returns the result of a call whose input was held, or nil if err is another error. The
// result is a question for the client's user. It is the next step for the model instead if the client
// cannot ask, if a program in a session made the call, or if the user has answered already.
func (c *call) heldAnswer(ctx context.Context, err error) *mcp.CallToolResult {
	var held *session.HeldError
	var ask *askError
	switch {
	case errors.As(err, &ask):
	case !errors.As(err, &held):
		return nil
	case c.srv.within(ctx) || !c.canAsk() || c.accepted != nil:
		return errorTextResult(c.heldText(ctx, held))
	default:
		ask = &askError{heldRef: heldRef{Session: held.Session, Input: held.Input}, message: askText(held)}
	}
	if q, ok := ctx.Value(userQuestionKey{}).(*userQuestion); ok {
		q.heldReason = "held: nothing was done"
		if held != nil {
			q.heldReason = c.heldReason(held)
		}
	}
	state, err := json.Marshal(ask.heldRef)
	if err != nil {
		return errorTextResult(ask.message)
	}
	return &mcp.CallToolResult{
		RequestState: string(state),
		InputRequests: mcp.InputRequestMap{askID: &mcp.ElicitParams{
			Mode:            "form",
			Message:         ask.message,
			RequestedSchema: json.RawMessage(`{"type":"object","properties":{"run":{"type":"boolean","title":"Run it","description":"Run this command"}},"required":["run"]}`),
		}},
	}
}

// canAsk reports whether the client can ask its user.
func (c *call) canAsk() bool {
	caps := c.req.ClientCapabilities()
	return caps != nil && caps.Elicitation != nil && (caps.Elicitation.Form != nil || caps.Elicitation.URL == nil)
}

// readUserAnswer reads the user's answer, if the call has one. It returns an error if the answer
// does not allow the input.
func (c *call) readUserAnswer(ctx context.Context) error {
	res, ok := c.req.Params.InputResponses[askID].(*mcp.ElicitResult)
	if !ok {
		return nil
	}
	if c.srv.within(ctx) {
		return errWithin
	}
	ref := new(heldRef)
	if err := json.Unmarshal([]byte(c.req.Params.RequestState), ref); err != nil {
		return errors.New("the answer lacks the state of its question; send the input again")
	}
	if yes, _ := res.Content["run"].(bool); res.Action != "accept" || !yes {
		if res.Action != "cancel" { // a cancelled question is not a refusal
			c.srv.recordRefusal(ref)
		}
		return fmt.Errorf("%w (%s); nothing was typed. Do not try it another way: ask what is wanted instead", errUserSaidNo, res.Action)
	}
	c.accepted = ref
	return nil
}

// within reports whether the call comes from a program in one of the sessions.
func (s *Server) within(ctx context.Context) bool {
	return s.opt.Within != nil && s.opt.Within(ctx)
}

// clientUser is the user of a client, to whom refusals are attributed.
var clientUser = session.Person{ID: "client", Name: "the client's user"}

// recordRefusal records that the client's user has refused held input. It only logs an error: the
// error means that the input is no longer held, and such input cannot be confirmed anyway.
func (s *Server) recordRefusal(ref *heldRef) {
	var err error
	if s.mgr.HeldStart(ref.Session) {
		err = s.mgr.RefuseStart(clientUser, ref.Session, ref.Input)
	} else if sess, serr := s.mgr.Session(ref.Session); serr == nil {
		err = sess.As(clientUser).Refuse(ref.Input)
	}
	if err != nil {
		s.opt.Logger.Debug("refused", "session", ref.Session, "err", err)
	}
}

// askText returns the question for the client's user.
func askText(h *session.HeldError) string {
	what := "type into session " + h.Session
	if h.Start {
		what = "start a program"
	}
	return fmt.Sprintf("The agent is about to %s:\n\n%s\n\n%s", what, quoteForPerson(runes.Clip(h.Line, maxAsked)), reasons(h))
}

// reasons lists the findings of the danger check, one per line.
func reasons(h *session.HeldError) string {
	var b strings.Builder
	if h.Refused != "" {
		fmt.Fprintf(&b, "- this is another attempt: %s\n", h.Refused)
	}
	for _, f := range h.Findings {
		if f.What != "" {
			fmt.Fprintf(&b, "- %s: %s (%s)\n", f.What, f.Why, f.Rule)
		} else {
			fmt.Fprintf(&b, "- it %s (%s)\n", f.Why, f.Rule)
		}
	}
	return b.String()
}

// heldReason describes the findings to the model, and says what was done.
func (c *call) heldReason(h *session.HeldError) string {
	done := "nothing was typed"
	switch {
	case h.Start:
		done = "nothing was started"
	case h.Typed:
		done = "the line is at the prompt, but Enter was not pressed"
	}
	return fmt.Sprintf("%v; %s", h, done)
}

// heldText describes the findings and the next step to the model.
func (c *call) heldText(ctx context.Context, h *session.HeldError) string {
	if c.srv.within(ctx) {
		return c.heldReason(h) + "; " + errWithin.Error()
	}
	text := c.heldReason(h) + ". "
	if h.Refused != "" {
		return text + "Do not try it another way: ask what is wanted instead. A person can allow it on the live page (glasstty link) or with glasstty attach"
	}
	if h.Stopped {
		text += "Ctrl+s has stopped the output: send_keys ctrl+q resumes it, and then the line can be read. "
	}
	if !slices.Contains(c.srv.names, toolConfirm) {
		return text + "No tool of this server can confirm it: ask the user, or do it another way"
	}
	input := fmt.Sprintf("exactly %q", h.Input)
	if len(h.Input) > maxAsked {
		input = fmt.Sprintf("exactly the text of this call (%d bytes)", len(h.Input))
	}
	if h.Line != "" && h.Line != strings.TrimSpace(h.Input) {
		text += fmt.Sprintf("It would submit %q. ", runes.Clip(h.Line, maxAsked))
	}
	text += fmt.Sprintf("If the user wants it, call confirm_dangerous_command with session_id %q, a justification, and input %s", h.Session, input)
	if h.Typed {
		return text + "; otherwise clear the line with send_keys ctrl+c"
	}
	return text + "; otherwise send something narrower"
}

// quoteForPerson puts a bar before each line of text, so that a person sees what would run. It shows
// ESC as ^[ and other invisible characters as sanitize does.
func quoteForPerson(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
	for i, l := range lines {
		lines[i] = "| " + sanitize(strings.ReplaceAll(l, "\x1b", "^["))
	}
	return strings.Join(lines, "\n")
}

// typeAndWait types the input in and waits. If the client's user has allowed held input of s, it
// types that input instead.
func (c *call) typeAndWait(ctx context.Context, s *session.Session, in session.Input, w session.Wait, p *progress) (*session.Reply, error) {
	types := in.Text != "" || len(in.Keys) > 0 || in.Enter
	if types && c.accepted != nil && c.accepted.Session == s.ID() {
		return typeConfirmed(ctx, s, c.accepted.Input, true, w, p)
	}
	return s.Exchange(ctx, in, w, p.setNote)
}
