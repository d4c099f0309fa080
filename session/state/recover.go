package state

import (
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A Recovery applies the events of a log to a state.
type Recovery struct {
	State   *State // as its session began; after Run, as it is now
	Log     *eventlog.Log
	Began   time.Time // the events' times count from it
	From    int64     // the offset before which only messages are recovered
	Until   eventlog.Stream
	Replies []byte // the terminal's replies that the program has not got
	New     int64  // bytes of output since the checkpoint
	next    int    // index of the next segment
}

// Run applies the events after the latest checkpoint, or all events if there is none.
func (r *Recovery) Run() error {
	from, events := r.Log.First(), r.Log.Events()
	if c := r.checkpoint(); c != nil {
		r.From, from, events = 0, c.Offset, r.Log.From(c.Offset, c.At)
	} else {
		r.begin(0)
	}
	for r.next < len(r.Log.Segments) && r.Log.Segments[r.next].Offset <= from {
		r.next++
	}
	before := r.State.Raw.Total
	for e, err := range events {
		if err != nil {
			return err
		}
		r.enter(e.Offset)
		r.event(&e)
	}
	r.enter(r.Until.Logged)
	r.New = r.State.Raw.Total - before
	return nil
}

// checkpoint sets the state to the latest usable checkpoint of the log and returns that
// checkpoint. It returns nil, and changes nothing, if there is none.
func (r *Recovery) checkpoint() *eventlog.Checkpoint {
	c, err := r.Log.Checkpoint()
	if err != nil || c.Offset > r.Until.Logged {
		return nil // the log is enough
	}
	st, err := Decode(c.Parts, r.State.Options)
	if err != nil || st.Raw.Total > r.Until.Total {
		return nil
	}
	r.State = st
	return c
}

// begin sets the terminal to its state at the beginning of a segment. If the saved state has
// another version, it cannot be read, and the screen of that time is missing.
func (r *Recovery) begin(segment int) {
	st, seg := r.State, r.Log.Segments[segment]
	st.Raw.Skip(seg.Output - st.Raw.Total)
	if term := Saved(r.Log, segment, st.Terminal); term != nil {
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

// Saved returns the terminal that was saved at the start of a segment, with the limits in o, or
// nil if there is none that this version can read.
func Saved(l *eventlog.Log, segment int, o emulator.Options) *emulator.Terminal {
	if !l.Segments[segment].State {
		return nil
	}
	saved, err := l.State(segment)
	if err != nil {
		return nil
	}
	term, err := emulator.Restore(saved, o)
	if err != nil {
		return nil
	}
	return term
}

// enter begins the segments up to an offset. If events before a segment were lost because
// the disk was full, only the state saved with the segment shows their effect.
func (r *Recovery) enter(offset int64) {
	for ; r.next < len(r.Log.Segments) && r.Log.Segments[r.next].Offset <= offset; r.next++ {
		if seg := r.Log.Segments[r.next]; (seg.Lost > 0 || seg.Offset == r.From) && seg.Offset < r.Until.Logged {
			r.begin(r.next)
		}
	}
}

// event applies one event. Output and resizes after the beginning of the stream come from
// the stream, but an earlier server's input does not.
func (r *Recovery) event(e *eventlog.Event) {
	at := r.Began.Add(e.At)
	message := e.Kind == eventlog.Note && e.Name == eventlog.NoteMessage
	if e.Offset < r.From && !message {
		if e.Kind == eventlog.Input {
			r.State.BytesIn += int64(len(e.Data))
		}
		return
	}
	if e.Kind == eventlog.Exit {
		return // the session's waitLoop reports the exit
	}
	if e.Offset >= r.Until.Logged && (e.Kind == eventlog.Output || e.Kind == eventlog.Resize) {
		return
	}
	replies := r.State.Apply(at, e)
	if e.Kind == eventlog.Output && r.State.Raw.Total > r.Until.Replies {
		r.Replies = append(r.Replies, replies...)
	}
}

// LastMessage returns the offset of the last segment with a saved terminal state before a
// log's last message, or 0 if there is none. Recovery begins there, so that the output after
// the message becomes a message too.
func LastMessage(l *eventlog.Log) (from int64, err error) {
	last := int64(0)
	for e, err := range l.Events() {
		if err != nil {
			return 0, err
		}
		if e.Kind == eventlog.Note && e.Name == eventlog.NoteMessage {
			last = e.Offset
		}
	}
	for _, s := range l.Segments {
		if s.State && s.Offset <= last {
			from = s.Offset
		}
	}
	return from, nil
}
