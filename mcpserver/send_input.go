package mcpserver

import (
	"context"
	"fmt"

	"github.com/glasstty/glasstty/session"
)

const sendInputDoc = `Type text into a session and return at once. For feeding a program in pieces or typing ahead while it works; to get the answer use send_and_read, for named keys send_keys.
Waits for no answer; where the program does not take its input it fails after some seconds and says how much was taken. Returns bytes_accepted; see what came with wait_for or read_output. Acts as a person typing.`

type sendInputArgs struct {
	SessionID  string `json:"session_id" need:"true" doc:"id or name"`
	Text       string `json:"text" need:"true" doc:"\\n is Enter; control characters are sent as they are"`
	PressEnter bool   `json:"press_enter" doc:"Enter after text" default:"false"`
	Paste      bool   `json:"paste" doc:"as one block, in the brackets of a paste where the program asks for them" default:"false"`
}

type sendInputResult struct {
	SessionID     string `json:"session_id"`
	BytesAccepted int    `json:"bytes_accepted"`
}

func sendInput() tool {
	return newTool[sendInputArgs, sendInputResult]("send_input", sendInputDoc,
		hints{destructive: true, openWorld: true}, handleSendInput)
}

func handleSendInput(ctx context.Context, c *call, in *sendInputArgs) (*answer, error) {
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	var n int
	if c.accepted != nil && c.accepted.Session == s.ID() {
		n, err = s.TypeHeld(c.named(ctx), c.accepted.Input)
	} else {
		n, err = s.Type(c.named(ctx), session.Input{Text: in.Text, Paste: in.Paste, Enter: in.PressEnter})
	}
	if err != nil {
		return nil, err
	}
	return &answer{
		text: bracket([]string{s.ID(), fmt.Sprintf("%d bytes accepted", n), "wait_for or read_output shows the answer"}),
		data: sendInputResult{SessionID: s.ID(), BytesAccepted: n},
	}, nil
}
