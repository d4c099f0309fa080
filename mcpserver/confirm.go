package mcpserver

import (
	"context"

	"github.com/glasstty/glasstty/session"
)

const confirmDoc = `Send input that the danger check held back, once you are sure. Only after a call failed because its input was held: repeat that text and say why it is right. For all else use send_and_read (with nothing held, this types input and Enter).
Blocks until ready or timeout. Returns unread output or the screen, prompt, reason, is_complete. The command runs, with all it destroys.`

type confirmArgs struct {
	SessionID     string   `json:"session_id" need:"true" doc:"id or name"`
	Input         string   `json:"input" need:"true" min:"1" doc:"exactly the held text"`
	Justification string   `json:"justification" need:"true" min:"1" max:"2000" doc:"why it is meant and safe"`
	WaitFor       *string  `json:"wait_for" doc:"regex; alone no pause ends it"`
	Timeout       *float64 `json:"timeout" min:"0.1" max:"600" doc:"seconds" default:"5"`
	waiting
	sinceArg `schema:"hidden"`
}

// noCheck is the note that no danger check is there to hold input back.
const noCheck = "no danger check is configured, so nothing was held; sent as typed text and Enter"

func confirmDangerousCommand() tool {
	return newTool[confirmArgs, reply]("confirm_dangerous_command", confirmDoc,
		hints{destructive: true, openWorld: true}, handleConfirm)
}

func handleConfirm(ctx context.Context, c *call, in *confirmArgs) (*answer, error) {
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	l := c.limit(in.Timeout, sendTimeout)
	w, err := in.wait(l, "wait_for", in.WaitFor)
	if err != nil {
		return nil, err
	}
	if err := in.into(&w, s); err != nil {
		return nil, err
	}
	r, err := c.exchanged(ctx, s, session.Input{Text: in.Input, Enter: true}, w, l)
	if err != nil {
		return nil, err
	}
	r = withNote(r, noCheck)
	return &answer{text: replyText(r), data: newReply(r)}, nil
}
