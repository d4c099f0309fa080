package state

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
)

// Apply applies the next event, which happened at at, and returns the terminal's replies to
// the program.
func (s *State) Apply(at time.Time, e *eventlog.Event) (replies []byte) {
	switch e.Kind {
	case eventlog.Output:
		return s.applyOutput(e, at)
	case eventlog.Resize:
		Feed(s.Term, e, s.Pipe)
	case eventlog.Note:
		s.applyNote(e, at)
	case eventlog.Exit:
		s.Ended, s.Activity = true, at
	case eventlog.Input:
		if s.restored {
			return nil
		}
		if s.awaited != nil {
			s.beginInput(e.Data, at)
		}
		s.part(len(e.Data), at)
	}
	return nil
}

func (s *State) applyOutput(e *eventlog.Event, at time.Time) (replies []byte) {
	s.Raw.Write(e.Data)
	Feed(s.Term, e, s.Pipe)
	s.LastOutput, s.Activity = at, at
	s.Pace.Output(at, s.Term.EndLine())
	s.takeEvents(at)
	if s.Messages.Since.IsZero() {
		s.Messages.Since = at
	}
	if replies = s.Term.TakeReplies(); s.Pipe {
		return nil // a program on pipes does not expect terminal replies
	}
	return replies
}

// Feed applies output or a resize to a terminal, in a live session and in a replay. pipe
// reports that the program writes to a pipe.
func Feed(term *emulator.Terminal, e *eventlog.Event, pipe bool) {
	switch e.Kind {
	case eventlog.Output:
		p := e.Data
		if pipe {
			p = OfPipe(p)
		}
		_, _ = term.Write(p) // always nil, see Terminal.Write
	case eventlog.Resize:
		term.Resize(emulator.Size{Rows: e.Rows, Cols: e.Cols})
	}
}

// OfPipe returns output to a pipe as a terminal's line discipline would change it: with a
// carriage return before each line feed (ONLCR).
func OfPipe(p []byte) []byte { return bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")) }

// applyNote applies a note. It ignores a note that it cannot parse.
func (s *State) applyNote(e *eventlog.Event, at time.Time) {
	switch e.Name {
	case eventlog.NoteMessage:
		var n eventlog.MessageNote
		if json.Unmarshal(e.Data, &n) == nil {
			s.applyMessage(Message{MessageNote: n})
		}
	case eventlog.NoteVerdict:
		var n eventlog.VerdictNote
		if json.Unmarshal(e.Data, &n) == nil {
			s.applyVerdict(&n)
		}
	case eventlog.NoteInput:
		var n eventlog.InputNote
		if json.Unmarshal(e.Data, &n) == nil {
			s.applyInputNote(&n, at)
		}
	}
}
