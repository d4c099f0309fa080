package state

import (
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A Recovery takes the events of a log through a state.
type Recovery struct {
	State   *State // as its session began, then what has become of it
	Log     *eventlog.Log
	Began   time.Time // which the events' times count from
	From    int64     // of what comes before it, only messages are recovered
	Until   Stream
	Replies []byte // of the terminal, which were not given
	New     int64  // bytes of output that no checkpoint has
	next    int    // the segment that is entered next
}

// A Stream is where a child's output goes on that is not recovered from its log.
type Stream struct {
	Total   int64 // bytes of output before it
	Logged  int64 // where its first event is in the log
	Replies int64 // up to which byte of output the terminal's replies were given
}

// Run takes the events from the latest checkpoint on, or else all.
func (r *Recovery) Run() error {
	from, events := r.Log.First(), r.Log.Events(r.Log.First())
	if c := r.checkpoint(); c != nil {
		r.From, from, events = 0, c.Offset, r.Log.From(c.Offset, c.At)
	} else {
		r.begin(0)
	}
	r.past(from)
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

// checkpoint returns the latest checkpoint of the log that can be used, and makes it the
// state; nil when there is none, and nothing has changed.
func (r *Recovery) checkpoint() *eventlog.Checkpoint {
	c, err := r.Log.Checkpoint()
	if err != nil || c.Offset > r.Until.Logged {
		return nil // the log has all
	}
	st, err := Decode(c.Parts, r.State.Options)
	if err != nil || st.Raw.Total > r.Until.Total {
		return nil
	}
	r.State = st
	return c
}

// begin makes the terminal at the beginning of a segment. A state that another version has
// written cannot be read: what was on the screen then is missing from it, as from the log.
func (r *Recovery) begin(segment int) {
	st, seg := r.State, r.Log.Segments[segment]
	st.Raw.SkipOver(seg.Output - st.Raw.Total)
	if seg.State {
		if saved, err := r.Log.State(segment); err == nil {
			if term, err := emulator.Restore(saved, st.Terminal); err == nil {
				st.Term = term
				return
			}
		}
	}
	if size := (emulator.Size{Rows: seg.Rows, Cols: seg.Cols}); segment == 0 {
		st.Terminal.Size = size
		r.State = New(st.Options)
		r.State.Raw.SkipOver(seg.Output)
	} else {
		st.Term.Resize(size)
	}
}

// past says that the events from an offset on come next.
func (r *Recovery) past(offset int64) {
	for r.next < len(r.Log.Segments) && r.Log.Segments[r.next].Offset <= offset {
		r.next++
	}
}

// enter begins the segments up to an offset. Of what was lost before one, because
// the disk was full, only the state that was saved there knows.
func (r *Recovery) enter(offset int64) {
	for ; r.next < len(r.Log.Segments) && r.Log.Segments[r.next].Offset <= offset; r.next++ {
		if seg := r.Log.Segments[r.next]; (seg.Lost > 0 || seg.Offset == r.From) && seg.Offset < r.Until.Logged {
			r.begin(r.next)
		}
	}
}

// event takes one event. Output and resizes from where the stream begins come by the stream,
// input by an earlier server does not.
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
		return // whoever waits for the child says so
	}
	if e.Offset >= r.Until.Logged && (e.Kind == eventlog.Output || e.Kind == eventlog.Resize) {
		return
	}
	replies := r.State.Apply(at, e)
	if e.Kind == eventlog.Output && r.State.Raw.Total > r.Until.Replies {
		r.Replies = append(r.Replies, replies...)
	}
}

// LastMessage returns the offset of the last segment before a log's last message that has
// the terminal's state, 0 for none: what came after that message is to become one too.
func LastMessage(l *eventlog.Log) (from int64, err error) {
	last := int64(0)
	for e, err := range l.Events(l.First()) {
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
