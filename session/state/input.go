package state

import (
	"strings"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/text"
)

// An Input describes what one call has typed: the note without its Text, and the terminal's state
// when the first byte was sent. Fields that say so describe a later moment.
type Input struct {
	eventlog.InputNote
	Started  bool `json:"started,omitempty"`  // the first byte was sent
	Finished bool `json:"finished,omitempty"` // the last byte was sent

	Time     time.Time         `json:"time"`               // when the latest part was sent
	At       emulator.Position `json:"at"`                 // the cursor's position
	OnText   bool              `json:"on_text,omitempty"`  // At is in a line of text, see emulator.Terminal.CursorPosition
	Offset   int64             `json:"offset"`             // bytes of output read before the first part was sent
	From     int64             `json:"from"`               // Offset or, if OneByOne, bytes read before the latest part was sent
	Revision uint64            `json:"revision,omitempty"` // of the screen
	Screen   int64             `json:"screen,omitempty"`   // the number of the first line on the screen
	Running  bool              `json:"running,omitempty"`  // a command was running, by the shell's marks
	Before   string            `json:"before,omitempty"`   // the text left of the cursor
	Entered  text.Entered      `json:"entered,omitempty"`  // a full-screen program's rows when the last part was sent
}

// applyInputNote applies the note of an input. The parts of the input follow as events, except
// those of a secret.
func (s *State) applyInputNote(n *eventlog.InputNote, at time.Time) {
	s.nextInput = nil
	if s.inputRestored = n.Number <= s.Inputs; s.inputRestored {
		return // the saved state contains the input
	}
	s.Inputs = n.Number
	s.nextInput = n
	if n.Secret || n.Size == 0 {
		s.beginInput(nil, at)
		s.recordSent(n.Size, at)
	}
}

// beginInput records the terminal's state when the first part of an input is sent. data is the first
// part, or nil if it is empty or a secret.
func (s *State) beginInput(data []byte, at time.Time) {
	n := s.nextInput
	s.nextInput = nil
	in := Input{
		InputNote: *n, Started: true, Time: at, Offset: s.Raw.Total, From: s.Raw.Total, Revision: s.Term.Revision(), Screen: s.Term.FirstScreenLine(),
		Running: s.Marks.Running, Before: s.AtCursor(),
	}
	in.Text = nil // it may be long
	in.At, in.OnText = s.Term.CursorPosition()
	s.Marks.recordTyped(n.Lines, in.At, in.OnText)
	if s.Pipe && in.OnText && n.Prompt >= 0 {
		// No echo follows, so the answer begins in the prompt's line.
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

// recordSent records that n more bytes of the last input were sent.
func (s *State) recordSent(n int, at time.Time) {
	s.BytesIn += int64(n)
	s.Activity, s.Last.Time = at, at
	if s.Last.OneByOne {
		s.Last.From = s.Raw.Total
	}
	if s.sentBytes += n; s.sentBytes >= s.Last.Size && !s.Last.Finished {
		s.Last.Finished = true
		if s.Last.Submitted && !s.Last.Secret && s.Term.FullScreen() {
			s.Last.Entered = text.EnteredOn(s.Term, s.Last.Revision)
		}
		if s.Last.Secret && s.Last.Lines > 0 {
			s.BytesIn++ // the Enter after a secret, which Size does not include
		}
		if s.Last.Call != "" {
			call := s.Last
			call.Entered = nil // only State.Last.Entered is used
			s.Calls = append(s.Calls[max(0, len(s.Calls)+1-maxCalls):], call)
		}
	}
}

// maxCalls limits the calls in State.Calls. A client may repeat a call after a restart.
const maxCalls = 64

// CallInput returns the input of the call with this name. It returns nil if the call has not typed
// all of its input, or is no longer remembered.
func (s *State) CallInput(name string) *Input {
	for i := range s.Calls {
		if name != "" && s.Calls[i].Call == name {
			return &s.Calls[i]
		}
	}
	return nil
}
