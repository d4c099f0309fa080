package mcpserver

import (
	"context"

	"github.com/glasstty/glasstty/session"
)

const sendKeysDoc = `Press keys one by one and return the answer. Use it for menus, editors and pagers: ["down*3","enter"], ["escape","text::wq","enter"]. For lines of text use send_and_read.
It returns the unread output or the screen, reason and is_complete.`

type sendKeysArgs struct {
	SessionID string   `json:"session_id" need:"true" doc:"id or name"`
	Keys      keyList  `json:"keys" need:"true" doc:"enter tab escape space backspace delete insert up down left right home end pageup pagedown f1-f24, any character (plus, star for + and *); before it ctrl+ alt+ shift+ super+, after it *N to repeat, :press :release to hold; \"text:yes\" types yes"`
	WaitFor   *string  `json:"wait_for" doc:"regex, see send_and_read"`
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
