package mcpserver

import (
	"context"

	"github.com/glasstty/glasstty/session"
)

const sendKeysDoc = `Press keys and return the answer; for menus, editors, pagers: ["ctrl+c"], ["esc",{"text":":wq"},"enter"]. For lines of text use send_and_read.
Blocks until ready or timeout. Returns unread output or the screen, reason, is_complete.`

type sendKeysArgs struct {
	SessionID string   `json:"session_id" need:"true" doc:"id or name"`
	Keys      keyList  `json:"keys" need:"true" doc:"enter tab esc space backspace delete insert up down left right home end pageup pagedown f1-f24, any character (plus, star for + *); before it ctrl+ alt+ shift+ super+, after it *N repeats; {text} is typed as it is"`
	WaitFor   *string  `json:"wait_for" doc:"regex; alone no pause ends it"`
	Timeout   *float64 `json:"timeout" min:"0.1" max:"600" doc:"seconds" default:"5"`
	waiting
	sinceArg `schema:"hidden"`
}

func sendKeys() tool {
	return newTool[sendKeysArgs, reply]("send_keys", sendKeysDoc,
		hints{destructive: true, openWorld: true}, handleSendKeys)
}

func handleSendKeys(ctx context.Context, c *call, in *sendKeysArgs) (*answer, error) {
	if len(in.Keys) == 0 {
		return nil, refuse(`argument "keys" must not be empty; to wait without typing use wait_for`)
	}
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	return c.send(ctx, s, session.Input{Keys: in.Keys}, in.waiting, in.sinceArg, in.WaitFor, in.Timeout)
}
