package state

import (
	"strings"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/text"
)

// An Input is the note of what one call has typed, without its Text, and the terminal's state
// when its first byte went out.
type Input struct {
	eventlog.InputNote
	Started  bool `json:"started,omitempty"`  // its first byte has gone out
	Finished bool `json:"finished,omitempty"` // its last byte has gone out

	Time     time.Time         `json:"time"`               // of its last part
	At       emulator.Position `json:"at"`                 // the cursor
	OnText   bool              `json:"on_text,omitempty"`  // At is in a line of text, see emulator.Terminal.CursorPosition
	Offset   int64             `json:"offset"`             // bytes of output read by then
	From     int64             `json:"from"`               // bytes of output read as its first part went out; if Apart, its last part
	Revision uint64            `json:"revision,omitempty"` // of the screen
	Screen   int64             `json:"screen,omitempty"`   // the first line on the screen
	Running  bool              `json:"running,omitempty"`  // a command was running, by the shell's marks
	Before   string            `json:"before,omitempty"`   // the text left of the cursor
	Entered  text.Entered      `json:"entered,omitempty"`  // of a full screen, as the last part goes out
}

// applyInputNote applies the note of an input. Its parts follow, except those of a secret.
func (s *State) applyInputNote(n *eventlog.InputNote, at time.Time) {
	s.nextInput = nil
	if s.inputRestored = n.Number <= s.Inputs; s.inputRestored {
		return // the saved state contains it
	}
	s.Inputs = n.Number
	s.nextInput = n
	if n.Secret || n.Size == 0 {
		s.beginInput(nil, at)
		s.recordSent(n.Size, at)
	}
}

// beginInput records the terminal's state when the first part of an input goes out. data is
// that part, or nil if it is not logged.
func (s *State) beginInput(data []byte, at time.Time) {
	n := s.nextInput
	s.nextInput = nil
	in := Input{
		InputNote: *n, Started: true, Time: at, Offset: s.Raw.Total, From: s.Raw.Total, Revision: s.Term.Revision(), Screen: s.Term.ScreenLine(),
		Running: s.Marks.Running, Before: s.AtCursor(),
	}
	in.Text = nil // it may be long
	in.At, in.OnText = s.Term.CursorPosition()
	s.Marks.recordTyped(n.Lines, in.At, in.OnText)
	if s.Pipe && in.OnText && n.Prompt >= 0 {
		// No echo follows, so the answer comes in the prompt's line.
		s.Echoes.Mark(s.Term, text.Span{Line: in.At.Line, From: n.Prompt, To: in.At.Offset})
	}
	if in.OnText && !n.Secret && !n.NoEcho {
		typed := string(data)
		if n.Text != nil {
			typed = *n.Text
		}
		s.Echoes.Typed(&text.Typed{Text: strings.ToValidUTF8(typed, "\uFFFD"), Edited: n.Edited, Pasted: n.Pasted, Kernel: n.Echo, At: in.At, Before: in.Before, Prompt: n.Prompt})
	}
	s.Edit.Set = false
	s.Pace.Input(at)
	s.Last, s.sentBytes = in, 0
}

// recordSent records that n bytes of the last input have gone out.
func (s *State) recordSent(n int, at time.Time) {
	s.BytesIn += int64(n)
	s.Activity, s.Last.Time = at, at
	if s.Last.Apart {
		s.Last.From = s.Raw.Total
	}
	if s.sentBytes += n; s.sentBytes >= s.Last.Size && !s.Last.Finished {
		s.Last.Finished = true
		if s.Last.Submitted && !s.Last.Secret && s.Term.FullScreen() {
			s.Last.Entered = text.EnteredOn(s.Term, s.Last.Revision)
		}
		if s.Last.Secret && s.Last.Lines > 0 {
			s.BytesIn++ // the Enter after a secret, which its size does not count
		}
		if s.Last.Call != "" {
			call := s.Last
			call.Entered = nil // only that of the last input is used
			s.Calls = append(s.Calls[max(0, len(s.Calls)+1-maxCalls):], call)
		}
	}
}

// maxCalls limits the calls that are remembered in case a client repeats them after a
// restart.
const maxCalls = 64

// CallInput returns the input of the call with this name, or nil if the call has not typed all
// of its input.
func (s *State) CallInput(name string) *Input {
	for i := range s.Calls {
		if name != "" && s.Calls[i].Call == name {
			return &s.Calls[i]
		}
	}
	return nil
}
