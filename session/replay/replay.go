package replay

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/mask"
	"github.com/glasstty/glasstty/session/state"
)

// A Replay replays a log. It is safe for concurrent use.
type Replay struct {
	log  *eventlog.Log
	opt  emulator.Options
	mask *mask.Mask // hides secrets in recordings

	nonce, title string // see Session
}

// A Session describes the session whose log is replayed.
type Session struct {
	Terminal emulator.Options // should have the limits of the session
	Mask     *mask.Mask       // hides secrets in recordings; nil hides nothing
	Nonce    string           // of its shell's marks, which no recording shows; "" for none
	Title    string           // of its recordings
}

// Open returns a replay of the log in a store, which may be nil.
func Open(store eventlog.Store, s Session) (*Replay, error) {
	if store == nil {
		return nil, eventlog.ErrNoLog
	}
	l, err := eventlog.Open(store)
	if err != nil {
		return nil, err
	}
	return &Replay{log: l, opt: s.Terminal, mask: s.Mask, nonce: s.Nonce, title: s.Title}, nil
}

// Write writes the log to w as asciicast v3, see Tape.WriteCast. Its secrets are hidden.
func (r *Replay) Write(w io.Writer) error {
	if r.nonce == "" {
		return r.Tape().WriteCast(w, 3)
	}
	clean := &scrubber{w: w, nonce: r.nonce}
	if err := r.Tape().WriteCast(clean, 3); err != nil {
		return err
	}
	return clean.flush()
}

// New returns a replay of a log. o should have the limits of the session.
func New(l *eventlog.Log, o emulator.Options) *Replay { return &Replay{log: l, opt: o} }

// Damage returns what of the events replayed so far could not be read.
func (r *Replay) Damage() eventlog.Damage { return r.log.Damage() }

// A Frame is the terminal at a moment of a replay.
type Frame struct {
	Terminal *emulator.Terminal
	At       time.Duration // of the last event before it, since the session began
}

// start returns the terminal as segment i begins: from its state, or blank.
func (r *Replay) start(i int) (*emulator.Terminal, error) {
	if r.log.Segments[i].State {
		state, err := r.log.State(i)
		if err != nil {
			return nil, err
		}
		return emulator.Restore(state, r.opt)
	}
	return r.blank(i), nil
}

// blank returns a blank terminal of the size that segment i begins with.
func (r *Replay) blank(i int) *emulator.Terminal {
	o, s := r.opt, r.log.Segments[i]
	o.Size = emulator.Size{Rows: s.Rows, Cols: s.Cols}
	return emulator.New(o)
}

// begin returns the latest segment up to last whose saved terminal can be read and fits,
// and that terminal. If there is none, it returns the first segment, with a blank
// terminal if its state cannot be read.
func (r *Replay) begin(last int, fits func(*emulator.Terminal) bool) (int, *emulator.Terminal) {
	for i := last; i > 0; i-- {
		if !r.log.Segments[i].State {
			continue
		}
		// A state of another version is skipped: the replay begins earlier.
		if term, err := r.start(i); err == nil && fits(term) {
			return i, term
		}
	}
	term, err := r.start(0)
	if err != nil {
		term = r.blank(0)
	}
	return 0, term
}

// runFrom replays from the last saved state in the segments up to the last one that is
// before the wanted moment, see run.
func (r *Replay) runFrom(before func(eventlog.Segment) bool, stop func(*emulator.Terminal, *eventlog.Event) bool) (*Frame, error) {
	last := 0
	for i, s := range r.log.Segments {
		if before(s) {
			last = i
		}
	}
	i, term := r.begin(last, anyTerminal)
	return r.run(i, term, stop)
}

// run replays from segment i on until stop reports true. It calls stop before each event.
func (r *Replay) run(i int, term *emulator.Terminal, stop func(*emulator.Terminal, *eventlog.Event) bool) (*Frame, error) {
	f := &Frame{Terminal: term, At: r.log.Segments[i].Began}
	for n := i; n < len(r.log.Segments); n++ {
		if s := r.log.Segments[n]; n > i && s.Lost > 0 && s.State {
			// The saved state has the result of the events that were lost.
			if again, err := r.start(n); err == nil {
				f.Terminal = again
			}
		}
		for e, err := range r.log.Segment(n) {
			if err != nil {
				return nil, err
			}
			if stop(f.Terminal, &e) {
				return f, nil
			}
			Apply(f.Terminal, &e, r.log.Segments[n].Pipe)
			f.At = e.At
		}
	}
	return f, nil
}

// Apply gives an event to a terminal; pipe says that its output comes from a pipe.
func Apply(term *emulator.Terminal, e *eventlog.Event, pipe bool) { apply(term, e, pipe) }

// apply is Apply and returns the terminal's events.
func apply(term *emulator.Terminal, e *eventlog.Event, pipe bool) []emulator.Event {
	state.Feed(term, e, pipe)
	term.TakeReplies()
	return term.TakeEvents()
}

// anyTerminal accepts every terminal.
func anyTerminal(*emulator.Terminal) bool { return true }

// End returns the terminal at the log's end. The replay begins at the last saved state
// before the log offset from, and calls each before each event; each may be nil.
func (r *Replay) End(from int64, each func(*emulator.Terminal, *eventlog.Event)) (*Frame, error) {
	return r.runFrom(func(s eventlog.Segment) bool { return s.Offset <= from }, func(t *emulator.Terminal, e *eventlog.Event) bool {
		if each != nil {
			each(t, e)
		}
		return false
	})
}

// At returns the terminal at a moment. The errors wrap ErrPast, ErrFuture and
// ErrMarker.
func (r *Replay) At(m Moment) (*Frame, error) {
	switch m.Kind {
	case AtRevision:
		return r.atRevision(m.Revision)
	case AtMarker:
		return r.atMarker(m.Marker)
	}
	return r.atTime(m.Time)
}

// Start returns when the session began.
func (r *Replay) Start() time.Time { return r.log.Segments[0].Start }

// From returns the first moment in the log.
func (r *Replay) From() time.Time { return r.Start().Add(r.log.Segments[0].Began) }

// kept says where the kept part of the log begins.
func (r *Replay) kept() string {
	s := r.log.Segments[0]
	return fmt.Sprintf("it is kept from %s on, %.3f s after the session's start", stamp(s.Start.Add(s.Began)), s.Began.Seconds())
}

// stamp formats a time for people.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// atTime returns the terminal after all events up to t.
func (r *Replay) atTime(t time.Time) (*Frame, error) {
	at := t.Sub(r.Start())
	first := r.log.Segments[0]
	if first.Began == 0 && at < 0 {
		return nil, fmt.Errorf("%w: %s is before the session's start, %s", ErrMoment, stamp(t), stamp(first.Start))
	}
	if at < first.Began {
		return nil, fmt.Errorf("%s is %w: %s", stamp(t), ErrPast, r.kept())
	}
	return r.runFrom(func(s eventlog.Segment) bool { return s.Began <= at },
		func(_ *emulator.Terminal, e *eventlog.Event) bool { return e.At > at })
}

// atRevision returns the terminal at a revision.
func (r *Replay) atRevision(rev uint64) (*Frame, error) {
	i, term := r.begin(len(r.log.Segments)-1, func(t *emulator.Terminal) bool { return t.Revision() <= rev })
	if first := term.Revision(); first > rev {
		return nil, fmt.Errorf("revision %d is %w: that begins with revision %d", rev, ErrPast, first)
	}
	f, err := r.run(i, term, func(t *emulator.Terminal, _ *eventlog.Event) bool { return t.Revision() >= rev })
	if err == nil && f.Terminal.Revision() < rev {
		return nil, fmt.Errorf("revision %d is %w: the latest is %d", rev, ErrFuture, f.Terminal.Revision())
	}
	return f, err
}

// atMarker returns the terminal at the last marker of this name. The ID of a message is a
// marker too: where an input was typed, or an output ended. The newest output may still
// grow, so its moment is the log's end.
func (r *Replay) atMarker(name string) (*Frame, error) {
	at := int64(-1)
	var names []string
	var open openMessage
	for e, err := range r.log.Events(r.log.First()) {
		if err != nil {
			return nil, err
		}
		label := MarkerOf(&e)
		if label == name {
			at = e.Offset
		}
		if label != "" {
			names = append(names[max(0, len(names)-maxNames):], label)
		}
		open.take(&e)
	}
	if at < 0 && open.id() == name {
		return r.End(math.MaxInt64, nil)
	}
	if at < 0 {
		have := "there is none yet"
		if len(names) > 0 {
			have = fmt.Sprintf("the latest are %s", strings.Join(names, ", "))
		}
		return nil, fmt.Errorf("%w: %.80q; %s; give %s", ErrMarker, name, have, Moments)
	}
	return r.runFrom(func(s eventlog.Segment) bool { return s.Offset <= at },
		func(_ *emulator.Terminal, e *eventlog.Event) bool { return e.Offset >= at })
}

// An openMessage finds the output message that no input has ended yet: the log has no
// note of it.
type openMessage struct {
	next   int64 // its number
	output bool  // whether output came since the last message
}

// take takes the log's next event.
func (o *openMessage) take(e *eventlog.Event) {
	switch {
	case e.Kind == eventlog.Output:
		o.output = true
	case e.Kind == eventlog.Note && e.Name == eventlog.NoteMessage:
		o.output = false
		if n, err := strconv.ParseInt(strings.TrimPrefix(MarkerOf(e), "m"), 10, 64); err == nil {
			o.next = n + 1
		}
	}
}

// id returns the message's ID, "" if there is no such message.
func (o *openMessage) id() string {
	if !o.output {
		return ""
	}
	return state.MessageID(o.next)
}

// maxNames bounds the markers that an error names.
const maxNames = 7

// MarkerOf returns the name of an event's moment, "" for none.
func MarkerOf(e *eventlog.Event) string {
	switch {
	case e.Kind == eventlog.Marker:
		return string(e.Data)
	case e.Kind == eventlog.Note && e.Name == eventlog.NoteMessage:
		var m eventlog.MessageNote
		if json.Unmarshal(e.Data, &m) == nil {
			return m.ID
		}
	}
	return ""
}

// Messages calls each for the messages in the log, oldest first.
func (r *Replay) Messages(each func(eventlog.MessageNote)) error {
	for e, err := range r.log.Events(r.log.First()) {
		if err != nil {
			return err
		}
		var m eventlog.MessageNote
		if e.Kind == eventlog.Note && e.Name == eventlog.NoteMessage && json.Unmarshal(e.Data, &m) == nil {
			each(m)
		}
	}
	return nil
}
