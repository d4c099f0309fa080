package queue

import (
	"time"

	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/input"
	"github.com/glasstty/glasstty/session/state"
)

// A Call is one call's input on its way to the program. The session's mutex guards Input, Text,
// OutputBefore, TypedAhead, NotTyped and UnreadFor, and changes to the bytes of Data.
type Call struct {
	Input state.Input // the input as the log records it
	input.Encoded
	By   control.Author
	ID   string // identifies the call to child.Owner, which types no piece twice; random if the caller gave none
	Line *Line  // the line that was being typed before the input; nil if not recorded

	OutputBefore int64 // bytes of output read when the feeder began the call's latest burst or key
	TypedAhead   int   // number of last bytes of Data that were typed ahead because the program did not read
	NotTyped     int   // number of last bytes of Data that were not typed because the program had ended
	// UnreadFor is how long the program had read nothing when the feeder began to type ahead. It is
	// 0 if the feeder did not type ahead, and at most ready.UnreadLimit.
	UnreadFor time.Duration
	dropped   bool // BlockTools has dropped items of the call; guarded by the queue's mutex
}

// A Line is a line that is being typed, and its author.
type Line struct {
	Editing guard.Editing
	Draft   control.Draft
}

// ByTool reports whether a tool call types the input. If not, a person does.
func (c *Call) ByTool() bool { return !c.By.Person }

// Hide makes the input a secret: only its length is recorded in the log.
func (c *Call) Hide() {
	c.Input.Secret, c.Input.NoEcho, c.Input.Size = true, true, state.SecretLen(c.Data)
	c.Text = ""
}
