package queue

import (
	"bytes"

	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/input"
	"github.com/glasstty/glasstty/session/state"
)

// A Call is one call's input on its way. The session's mutex guards its Input, Since, Ahead
// and Left.
type Call struct {
	state.Input
	input.Encoded
	By     control.Author
	Number string              // the call's name for the child's owner; a random one if it has none
	Before *Line               // the line before the input; nil if not noted
	Echoes bool                // the echo of Text is searched for
	Note   *eventlog.InputNote // the input's note in the log; nil before the first byte goes out

	Since int64 // bytes of output read as its last burst was queued, if Apart
	Ahead int   // how many of its last bytes were typed ahead because the program did not read
	Left  int   // how many of its last bytes were not typed because the program had ended
	cut   bool  // its queued items were dropped; guarded by the queue's mutex
}

// A Line is the line that is being typed, and its author.
type Line struct {
	Editing guard.Editing
	Draft   control.Draft
}

// Typed returns what the call has typed, nil for no call.
func (c *Call) Typed() *state.Input {
	if c == nil {
		return nil
	}
	return &c.Input
}

// Tool reports whether a tool call types, and not a person.
func (c *Call) Tool() bool { return !c.By.Person }

// NoteFor returns the call's note in the log, which precedes the input. number is the
// input's number, prompt the column where the prompt begins, and first the first part of
// the input.
func (c *Call) NoteFor(number int64, prompt int, first []byte) *eventlog.InputNote {
	n := &eventlog.InputNote{
		Number: number, By: c.By.PersonName(), Size: len(c.Data), Secret: c.Secret, Call: c.Call, Echo: c.Kernel,
		Submitted: c.Submitted, Edited: c.Edited, Pasted: c.Paste > 0, Apart: c.Apart, NoEcho: !c.Echoes,
		Lines: bytes.Count(c.Data, []byte{'\r'}), Prompt: prompt,
	}
	if c.Secret {
		n.Size = state.SecretLen(c.Data)
	} else if c.Echoes && c.Text != string(first) {
		n.Text = &c.Text
	}
	return n
}
