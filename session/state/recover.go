package state

import (
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A Recovery applies the events of a log to a state.
type Recovery struct {
	State   *State          // the state at the start of the session; after Run, at the end of the log
	Log     *eventlog.Log   // the log to apply
	Began   time.Time       // the start of the session, see eventlog.Event.At
	Until   eventlog.Stream // the point from which the child's owner sends the output
	Replies []byte          // set by Run: the terminal's replies that the program has not got
}

// Run applies the events after the latest saved state that can be used, or all events if there is none.
func (r *Recovery) Run() error {
	first := len(r.Log.Segments) - 1
	for first >= 0 && !r.load(first) {
		first--
	}
	if first < 0 {
		first = 0
		r.beginSegment(0)
	}
	for i := first; i < len(r.Log.Segments); i++ {
		// If events before a segment were lost, because they could not be written, only the
		// terminal saved with the segment shows their effect.
		if seg := r.Log.Segments[i]; i > first && seg.Lost > 0 && seg.Offset < r.Until.LogOffset {
			r.beginSegment(i)
		}
		for e, err := range r.Log.Segment(i) {
			if err != nil {
				return err
			}
			r.apply(&e)
		}
	}
	return nil
}

// load sets r.State to the state saved at the beginning of a segment. If there is none, or if it is
// unreadable or later than r.Until, load returns false and changes nothing.
func (r *Recovery) load(segment int) bool {
	if seg := r.Log.Segments[segment]; !seg.HasState || seg.Offset > r.Until.LogOffset {
		return false
	}
	parts, err := r.Log.State(segment)
	if err != nil {
		return false
	}
	st, err := Decode(parts, r.State.Options)
	if err != nil || st.Raw.Total > r.Until.Total {
		return false
	}
	r.State = st
	return true
}

// beginSegment sets the terminal to the one saved at the beginning of a segment. If there is none that
// this version can read, beginSegment only sets the terminal's size. At segment 0 it then begins a new
// state, without the earlier output.
func (r *Recovery) beginSegment(segment int) {
	st, seg := r.State, r.Log.Segments[segment]
	st.Raw.Skip(seg.Output - st.Raw.Total)
	if term := SavedTerminal(r.Log, segment, st.Terminal); term != nil {
		st.Term = term
		return
	}
	if size := (emulator.Size{Rows: seg.Rows, Cols: seg.Cols}); segment == 0 {
		st.Terminal.Size = size
		r.State = New(st.Options)
		r.State.Raw.Skip(seg.Output)
	} else {
		st.Term.Resize(size)
	}
}

// SavedTerminal returns the terminal in the saved state at the start of a segment, with the limits
// in o. It returns nil if this version cannot read the terminal, or if there is no saved state.
func SavedTerminal(l *eventlog.Log, segment int, o emulator.Options) *emulator.Terminal {
	if !l.Segments[segment].HasState {
		return nil
	}
	parts, err := l.State(segment)
	if err != nil || len(parts) != numParts {
		return nil
	}
	term, err := emulator.Restore(parts[PartTerminal], o)
	if err != nil {
		return nil
	}
	return term
}

// apply applies one event. It leaves out output and resizes after r.Until, because the child's owner
// sends them again. The owner does not send input and notes, so apply does not leave those out.
func (r *Recovery) apply(e *eventlog.Event) {
	if e.Kind == eventlog.Exit {
		return // the session's waitLoop reports the exit
	}
	if e.Offset >= r.Until.LogOffset && (e.Kind == eventlog.Output || e.Kind == eventlog.Resize) {
		return
	}
	replies := r.State.Apply(r.Began.Add(e.At), e)
	if e.Kind == eventlog.Output && r.State.Raw.Total > r.Until.Replies {
		r.Replies = append(r.Replies, replies...)
	}
}
