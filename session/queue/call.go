package queue

import (
	"bytes"

	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/input"
	"github.com/glasstty/glasstty/session/state"
)

// A Call is one call's input on its way. Its Input, and what stands below Note, are guarded
// by the session's mutex.
type Call struct {
	state.Input
	input.Encoded
	By     control.Author
	Number string              // names the call to the child's owner
	Before *Line               // the line before it; nil when that was not noted
	Echoes bool                // the echo of Text is looked for
	Note   *eventlog.InputNote // what the log is told; nil before the first byte goes out

	Since int64 // child bytes read as its last burst was queued, when Apart
	Ahead int   // its last bytes, which the program was not waited for to read
	Left  int   // its last bytes, which were not typed: the program had ended
	cut   bool  // what was queued of it was dropped; guarded by the queue's mutex
}

// A Line is the line that is being typed, and whose it is.
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

// NoteFor returns what the log is told of the call before what it types, as the input of a
// number, from a column of the prompt's row on; first is its first part.
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
