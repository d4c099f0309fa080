package state

import (
	"strings"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/text"
)

// An Input describes what one call has typed, and the terminal's state as its first byte
// went out.
type Input struct {
	Call      string `json:"call,omitempty"`   // the call's name, see session.WithCall
	Person    string `json:"person,omitempty"` // the name of the person who typed; "" for a tool call
	Secret    bool   `json:"secret,omitempty"`
	Edited    bool   `json:"edited,omitempty"`    // keys were pressed whose echo cannot be predicted
	Submitted bool   `json:"submitted,omitempty"` // the last byte was Enter or a control character
	Kernel    bool   `json:"kernel,omitempty"`    // the terminal echoes by itself
	Started   bool   `json:"started,omitempty"`   // its first byte has gone out
	Finished  bool   `json:"finished,omitempty"`  // its last byte has gone out

	Time     time.Time         `json:"time"`               // of its last part
	At       emulator.Position `json:"at"`                 // the cursor
	OnText   bool              `json:"on_text,omitempty"`  // At is in a line of text, see emulator.Terminal.CursorPosition
	Offset   int64             `json:"offset"`             // bytes of output read by then
	From     int64             `json:"from"`               // bytes of output read as its last part went out, if the parts wait for the program
	Revision uint64            `json:"revision,omitempty"` // of the screen
	Screen   int64             `json:"screen,omitempty"`   // the first line on the screen
	Running  bool              `json:"running,omitempty"`  // by the shell's marks, a command was running
	Prompt   string            `json:"prompt,omitempty"`   // the text left of the cursor
}

// applyInputNote applies the note of an input. Its parts follow, except those of a secret.
func (s *State) applyInputNote(n *eventlog.InputNote, at time.Time) {
	s.awaited = nil
	if s.known = n.Number <= s.Inputs; s.known {
		return // a checkpoint has it
	}
	s.Inputs = n.Number
	s.awaited = n
	if n.Secret || n.Size == 0 {
		s.beginInput(nil, at)
		s.part(n.Size, at)
	}
}

// applyInput applies a part of the announced input.
func (s *State) applyInput(data []byte, at time.Time) {
	if s.awaited != nil {
		s.beginInput(data, at)
	}
	s.part(len(data), at)
}

// beginInput records the terminal's state as the first part of an input goes out. data is
// that part, nil if the log does not have it.
func (s *State) beginInput(data []byte, at time.Time) {
	n := s.awaited
	s.awaited = nil
	in := Input{
		Call: n.Call, Person: n.By, Secret: n.Secret, Edited: n.Edited, Submitted: n.Submitted, Kernel: n.Echo, Started: true,
		Time: at, Offset: s.Raw.Total, From: s.Raw.Total, Revision: s.Term.Revision(), Screen: s.Term.ScreenLine(),
		Running: s.Marks.Running, Prompt: s.AtCursor(),
	}
	in.At, in.OnText = s.Term.CursorPosition()
	s.Marks.typed(n.Lines, in.At, in.OnText)
	if s.Pipe && in.OnText && n.Prompt >= 0 {
		// No echo follows, so the answer comes in the prompt's line.
		s.Echoes.Mark(s.Term, text.Span{Line: in.At.Line, From: n.Prompt, To: in.At.Offset})
	}
	if in.OnText && !n.Secret && !n.NoEcho {
		typed := string(data)
		if n.Text != nil {
			typed = *n.Text
		}
		s.Echoes.Typed(&text.Typed{Text: strings.ToValidUTF8(typed, "\uFFFD"), Edited: n.Edited, Pasted: n.Pasted, Kernel: n.Echo, At: in.At, Before: in.Prompt, Prompt: n.Prompt})
	}
	s.Edit.Set = false
	s.Pace.Input(at)
	s.Last, s.note, s.got = in, *n, 0
}

// part counts a part of n bytes.
func (s *State) part(n int, at time.Time) {
	s.BytesIn += int64(n)
	s.Activity, s.Last.Time = at, at
	if s.note.Apart {
		s.Last.From = s.Raw.Total
	}
	if s.got += n; s.got >= s.note.Size && !s.Last.Finished {
		s.Last.Finished = true
		if s.note.Secret && s.note.Lines > 0 {
			s.BytesIn++ // the Enter after a secret, which its size does not count
		}
		s.remember(s.Last)
	}
}

// maxCalls bounds the calls that are remembered in case a client repeats them after a
// restart.
const maxCalls = 64

// remember records what a call has typed, in case a client repeats the call.
func (s *State) remember(in Input) {
	if in.Call != "" {
		s.Calls = append(s.Calls[max(0, len(s.Calls)+1-maxCalls):], in)
	}
}

// Typed returns what the call of this name has typed, nil if it has not typed all of its
// input.
func (s *State) Typed(name string) *Input {
	for i := range s.Calls {
		if name != "" && s.Calls[i].Call == name {
			return &s.Calls[i]
		}
	}
	return nil
}
