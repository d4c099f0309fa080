package mcpserver

import (
	"context"

	"github.com/glasstty/glasstty/session"
)

const sendKeysDoc = `Press keys one by one and return the answer. Use it for menus, editors and pagers: ["down*3","enter"], ["escape","text::wq","enter"]. For lines of text use send_and_read.
It returns the unread output or the screen, reason and is_complete.`

type sendKeysArgs struct {
	oneSession
	Keys keyList `json:"keys" need:"true" doc:"enter tab escape space backspace delete insert up down left right home end pageup pagedown f1-f24, any character (plus, star for + and *); before it ctrl+ alt+ shift+ super+, after it *N to repeat, :press :release to hold; \"text:yes\" types yes"`
	answerArgs
}

// check refuses a call that types nothing.
func (in *sendKeysArgs) check() error {
	if len(in.Keys) == 0 {
		return refuse(`argument "keys" must not be empty; to wait without typing use wait_for`)
	}
	return nil
}

func handleSendKeys(ctx context.Context, c *call, s *session.Session, in *sendKeysArgs) (*answer, error) {
	return c.send(ctx, s, session.Input{Keys: in.Keys}, in.answerArgs)
}
