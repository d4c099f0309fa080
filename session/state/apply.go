package state

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
)

// Apply applies the next event, which happened at a time, and returns the terminal's replies to the
// program. On pipes there are none.
func (s *State) Apply(at time.Time, e *eventlog.Event) (replies []byte) {
	switch e.Kind {
	case eventlog.Output:
		return s.applyOutput(e, at)
	case eventlog.Resize:
		Feed(s.Term, e, s.Pipe)
		s.PullBack(&s.Messages.Reader)
	case eventlog.Note:
		s.applyNote(e, at)
	case eventlog.Exit:
		s.Ended, s.Activity = true, at
	case eventlog.Input:
		if s.inputRestored {
			return nil
		}
		if s.nextInput != nil {
			s.beginInput(e.Data, at)
		}
		s.recordSent(len(e.Data), at)
	}
	return nil
}

func (s *State) applyOutput(e *eventlog.Event, at time.Time) (replies []byte) {
	s.Raw.Write(e.Data)
	feed(s.Term, e, s.Pipe, func(rest []byte) int {
		s.applyEvents(at)
		if s.Echoes.Due() {
			s.Echoes.ResolveAnchored(s.Term, &s.Prompts)
		}
		return s.nextPart(rest)
	})
	s.applyEvents(at)
	s.LastOutput, s.Activity = at, at
	s.Pace.Output(at, s.Term.EndLine())
	if s.Messages.Since.IsZero() {
		s.Messages.Since = at
	}
	if replies = s.Term.TakeReplies(); s.Pipe {
		return nil // a program on pipes does not expect terminal replies
	}
	return replies
}

// nextPart returns the number of bytes of p to apply before the next search for a prompt or an echo,
// because later output may overwrite them. The bytes end after an OSC 133 mark, after the sequence
// that switches bracketed paste off, or, if an echo is expected, after a line feed.
func (s *State) nextPart(p []byte) int {
	end := len(p)
	cut := func(from int, ends string) {
		if i := bytes.IndexAny(p[min(from, end):end], ends); from >= 0 && i >= 0 {
			end = from + i + 1
		}
	}
	if s.Echoes.Due() {
		cut(0, "\n")
	}
	if s.Term.InsideSequence() {
		cut(0, "\a\\")
	}
	if i := bytes.Index(p[:end], []byte("\x1b]133;")); i >= 0 {
		cut(i+1, "\a\\")
	}
	if i := bytes.Index(p[:end], []byte(pasteOff)); i >= 0 {
		end = i + len(pasteOff)
	}
	return end
}

// Feed applies output or a resize to a terminal, for live sessions and replays. It ignores other
// events. pipe reports that the program writes to a pipe.
func Feed(term *emulator.Terminal, e *eventlog.Event, pipe bool) {
	feed(term, e, pipe, func(rest []byte) int { return len(rest) })
}

// feed is Feed, but writes output in parts of the length that next returns (Terminal.WriteParts).
func feed(term *emulator.Terminal, e *eventlog.Event, pipe bool, next func(rest []byte) int) {
	switch e.Kind {
	case eventlog.Output:
		p := e.Data
		if pipe {
			p = AddCarriageReturns(p)
		}
		_, _ = term.WriteParts(p, next) // the error is always nil, see Terminal.Write
	case eventlog.Resize:
		term.Resize(emulator.Size{Rows: e.Rows, Cols: e.Cols})
	}
}

// AddCarriageReturns adds a carriage return before each line feed of the output to a pipe, as a
// terminal's line discipline does (ONLCR).
func AddCarriageReturns(p []byte) []byte { return bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")) }

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
