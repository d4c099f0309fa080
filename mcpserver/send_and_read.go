package mcpserver

import (
	"context"

	"github.com/glasstty/glasstty/session"
)

const sendAndReadDoc = `Type text into a session and return the answer. With press_enter true this runs a line. Use send_keys for keys alone, send_input to type without waiting, and wait_for to wait without typing.
It returns the unread output or the screen, the prompt, reason and is_complete. When is_complete is false, go on with wait_for.`

type sendAndReadArgs struct {
	oneSession
	Text       string  `json:"text" doc:"\\n is Enter"`
	Keys       keyList `json:"keys" doc:"typed after text, see send_keys"`
	PressEnter bool    `json:"press_enter" doc:"Enter at the end"`
	Paste      *bool   `json:"paste" doc:"true: as one paste; false: line by line"`
	WaitFor    *string `json:"wait_for" doc:"regex to wait for; without until, no pause ends the wait"`
	answerArgs
}

func handleSendAndRead(ctx context.Context, c *call, s *session.Session, in *sendAndReadArgs) (*answer, error) {
	input := typedText(in.Text, in.Paste)
	input.Keys, input.Enter = in.Keys, in.PressEnter
	in.answerArgs.WaitFor = in.WaitFor // a field of its own, with the full doc to which other tools refer
	return c.send(ctx, s, input, in.answerArgs)
}

// typedText returns text as an input. If paste is nil, the program's bracketed paste mode decides
// whether several lines are a paste.
func typedText(text string, paste *bool) session.Input {
	return session.Input{Text: text, Paste: paste != nil && *paste, NoPaste: paste != nil && !*paste}
}

// answerArgs contains the arguments of the tools that type and wait for the answer.
type answerArgs struct {
	WaitFor *string  `json:"wait_for" doc:"regex, see send_and_read"`
	Timeout *float64 `json:"timeout" min:"0.1" max:"600" doc:"seconds" default:"5"`
	waitArgs
	sinceArg `schema:"hidden"`
}

// waitIn returns the wait in s that the arguments ask for, and its limit. s is nil for a program
// that is not started yet.
func (a *answerArgs) waitIn(c *call, s *session.Session) (w session.Wait, l limit, err error) {
	l = c.limit(a.Timeout, sendTimeout)
	if w, err = a.wait(l, "wait_for", a.WaitFor); err == nil && s != nil {
		err = a.setSince(&w, s)
	}
	return w, l, err
}

// send types the input in and waits as a says. It is the common part of the tools that type.
func (c *call) send(ctx context.Context, s *session.Session, in session.Input, a answerArgs) (*answer, error) {
	w, l, err := a.waitIn(c, s)
	if err != nil {
		return nil, err
	}
	return replyAnswer(c.exchange(ctx, s, in, w, l))
}
