package mcpserver

import (
	"context"

	"github.com/glasstty/glasstty/session"
)

const sendAndReadDoc = `Type text into a session and return the answer. With press_enter true this runs a line. Use send_keys for keys alone, send_input to type without waiting, and wait_for to wait without typing.
It returns the unread output or the screen, the prompt, reason and is_complete. When is_complete is false, go on with wait_for.`

type sendAndReadArgs struct {
	SessionID  string   `json:"session_id" need:"true" doc:"id or name"`
	Text       string   `json:"text" doc:"\\n is Enter"`
	Keys       keyList  `json:"keys" doc:"typed after text, see send_keys"`
	PressEnter bool     `json:"press_enter" doc:"Enter at the end"`
	Paste      *bool    `json:"paste" doc:"true: as one paste; false: line by line"`
	WaitFor    *string  `json:"wait_for" doc:"regex to wait for; without until, no pause ends the wait"`
	Timeout    *float64 `json:"timeout" min:"0.1" max:"600" doc:"seconds" default:"5"`
	waiting
	sinceArg `schema:"hidden"`
}

func sendAndRead() tool {
	return newTool[sendAndReadArgs, reply]("send_and_read", sendAndReadDoc,
		hints{destructive: true, openWorld: true}, handleSendAndRead)
}

func handleSendAndRead(ctx context.Context, c *call, in *sendAndReadArgs) (*answer, error) {
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	input := typedText(in.Text, in.Paste)
	input.Keys, input.Enter = in.Keys, in.PressEnter
	return c.send(ctx, s, input, in.waiting, in.sinceArg, in.WaitFor, in.Timeout)
}

// typedText returns text as an input. Without paste, the program's bracketed paste mode
// decides whether several lines are a paste.
func typedText(text string, paste *bool) session.Input {
	return session.Input{Text: text, Paste: paste != nil && *paste, NoPaste: paste != nil && !*paste}
}

// send is the common part of the sending tools: it checks the waiting arguments, types,
// waits and answers.
func (c *call) send(ctx context.Context, s *session.Session, in session.Input, args waiting, since sinceArg, pattern *string, timeout *float64) (*answer, error) {
	l := c.limit(timeout, sendTimeout)
	w, err := args.wait(l, "wait_for", pattern)
	if err != nil {
		return nil, err
	}
	if err := since.into(&w, s); err != nil {
		return nil, err
	}
	return c.exchange(ctx, s, in, w, l)
}
