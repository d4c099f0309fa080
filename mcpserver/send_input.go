package mcpserver

import (
	"context"
	"fmt"

	"github.com/glasstty/glasstty/session"
)

const sendInputDoc = `Type text into a session and return at once. Use it to feed a program in pieces, or to type ahead while it works. For the answer use send_and_read, for named keys send_keys.
It waits for no answer. When the program does not read its input, the call fails after some seconds and says how much was accepted. It returns bytes_accepted. Get the answer with wait_for or read_output.`

type sendInputArgs struct {
	oneSession
	Text       string `json:"text" need:"true" doc:"as in send_and_read; control characters are sent as they are"`
	PressEnter bool   `json:"press_enter" doc:"Enter after text" default:"false"`
	Paste      *bool  `json:"paste" doc:"true: one paste; false: line by line"`
}

type sendInputResult struct {
	SessionID     string `json:"session_id"`
	BytesAccepted int    `json:"bytes_accepted"`
}

func handleSendInput(ctx context.Context, c *call, s *session.Session, in *sendInputArgs) (*answer, error) {
	var n int
	var err error
	if c.accepted != nil && c.accepted.Session == s.ID() {
		var held session.Confirmed
		if held, err = s.Confirm(c.accepted.Input, true); err == nil {
			n, err = held.Type(c.stepContext(ctx))
		}
	} else {
		input := typedText(in.Text, in.Paste)
		input.Enter = in.PressEnter
		n, err = s.Type(c.stepContext(ctx), input)
	}
	if err != nil {
		return nil, err
	}
	return &answer{
		text: bracket([]string{c.srv.ref(s.ID()), fmt.Sprintf("%d bytes accepted", n), "wait_for or read_output shows the answer"}),
		data: sendInputResult{SessionID: c.srv.ref(s.ID()), BytesAccepted: n},
	}, nil
}
