package mcpserver

import (
	"context"

	"github.com/glasstty/glasstty/session"
)

const sendAndReadDoc = `Type text and return the answer: the way to run a line, with press_enter true. Keys alone: send_keys; no waiting: send_input; no typing: wait_for.
Blocks until ready or timeout. Returns unread output or the screen, prompt, reason, is_complete (if false use wait_for), hint. Acts as a person typing.`

type sendAndReadArgs struct {
	SessionID  string   `json:"session_id" need:"true" doc:"id or name"`
	Text       string   `json:"text" doc:"\\n is Enter"`
	Keys       keyList  `json:"keys" doc:"after text, see send_keys"`
	PressEnter bool     `json:"press_enter" doc:"Enter last"`
	Paste      bool     `json:"paste" doc:"text as a paste"`
	WaitFor    *string  `json:"wait_for" doc:"regex; alone no pause ends it"`
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
	input := session.Input{Text: in.Text, Paste: in.Paste, Keys: in.Keys, Enter: in.PressEnter}
	return c.send(ctx, s, input, in.waiting, in.sinceArg, in.WaitFor, in.Timeout)
}

// send is what the sending tools have in common: check the waiting arguments,
// then type, wait and answer.
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
