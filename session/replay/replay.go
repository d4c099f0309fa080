package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/mask"
)

// A Replay is a log to be replayed. It is safe for concurrent use.
type Replay struct {
	log  *eventlog.Log
	opt  emulator.Options
	mask *mask.Mask // hides secrets in recordings
}

// New returns a replay of a log. The limits of o should be those of the session.
func New(l *eventlog.Log, o emulator.Options) *Replay { return &Replay{log: l, opt: o} }

// A Frame is the terminal at a moment of a replay.
type Frame struct {
	Terminal *emulator.Terminal
	At       time.Duration // of the last event before it, since the session began
}

// start returns the terminal as segment i begins: from its state, or blank.
func (r *Replay) start(i int) (*emulator.Terminal, error) {
	s := r.log.Segments[i]
	if s.State {
		state, err := r.log.State(i)
		if err == nil {
			return emulator.Restore(state, r.opt)
		}
		return nil, err
	}
	o := r.opt
	o.Size = emulator.Size{Rows: s.Rows, Cols: s.Cols}
	return emulator.New(o), nil
}

// begin returns the latest segment up to last at which a replay can begin, and
// the terminal there. Where no state can be read it is the first, and a blank
// terminal.
func (r *Replay) begin(last int, fits func(*emulator.Terminal) bool) (int, *emulator.Terminal, error) {
	for i := last; i > 0; i-- {
		if !r.log.Segments[i].State {
			continue
		}
		// A state of another version is passed over: the replay begins earlier.
		if term, err := r.start(i); err == nil && fits(term) {
			return i, term, nil
		}
	}
	term, err := r.start(0)
	if err != nil {
		s := r.log.Segments[0]
		o := r.opt
		o.Size = emulator.Size{Rows: s.Rows, Cols: s.Cols}
		return 0, emulator.New(o), nil
	}
	return 0, term, nil
}

// run replays from segment i on until stop says so, which is asked before each
// event and after the last (with nil).
func (r *Replay) run(i int, term *emulator.Terminal, stop func(*emulator.Terminal, *eventlog.Event) bool) (*Frame, error) {
	f := &Frame{Terminal: term, At: r.log.Segments[i].Began}
	for n := i; n < len(r.log.Segments); n++ {
		if s := r.log.Segments[n]; n > i && s.Lost > 0 && s.State {
			// What happened before is not in the log: only the state knows.
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

// Apply gives an event to a terminal; pipe says that its output is that of
// pipes.
func Apply(term *emulator.Terminal, e *eventlog.Event, pipe bool) {
	switch e.Kind {
	case eventlog.Output:
		p := e.Data
		if pipe {
			p = Terminal(p)
		}
		_, _ = term.Write(p) // always nil, see Terminal.Write
	case eventlog.Resize:
		term.Resize(emulator.Size{Rows: e.Rows, Cols: e.Cols})
	}
	term.TakeReplies()
	term.TakeEvents()
}

// Terminal returns what a child wrote to a pipe as a terminal's line discipline
// would pass it on: each line feed with a carriage return (ONLCR).
func Terminal(p []byte) []byte {
	return bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))
}

// anyTerminal accepts every terminal.
func anyTerminal(*emulator.Terminal) bool { return true }

// End returns the terminal at the log's end. Each is called for the events on the
// way, which begin at the last state before the log offset from, 0 for the first
// event there is; it may be nil.
func (r *Replay) End(from int64, each func(*emulator.Terminal, *eventlog.Event)) (*Frame, error) {
	last := 0
	for i, s := range r.log.Segments {
		if s.Offset <= from {
			last = i
		}
	}
	i, term, err := r.begin(last, anyTerminal)
	if err != nil {
		return nil, err
	}
	return r.run(i, term, func(t *emulator.Terminal, e *eventlog.Event) bool {
		if each != nil && e != nil {
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

// kept says from where on the log is kept.
func (r *Replay) kept() string {
	s := r.log.Segments[0]
	return fmt.Sprintf("it is kept from %s on, %.3f s after the session's start", stamp(s.Start.Add(s.Began)), s.Began.Seconds())
}

// stamp writes a time for people.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// atTime returns the terminal after all events up to t.
func (r *Replay) atTime(t time.Time) (*Frame, error) {
	at := t.Sub(r.Start())
	last := 0
	for i, s := range r.log.Segments {
		if s.Began <= at {
			last = i
		}
	}
	if first := r.log.Segments[0]; at < first.Began {
		return nil, fmt.Errorf("%s is %w: %s", stamp(t), ErrPast, r.kept())
	}
	i, term, err := r.begin(last, anyTerminal)
	if err != nil {
		return nil, err
	}
	return r.run(i, term, func(_ *emulator.Terminal, e *eventlog.Event) bool { return e.At > at })
}

// atRevision returns the terminal as it had the revision.
func (r *Replay) atRevision(rev uint64) (*Frame, error) {
	i, term, err := r.begin(len(r.log.Segments)-1, func(t *emulator.Terminal) bool { return t.Revision() <= rev })
	if err != nil {
		return nil, err
	}
	if first := term.Revision(); first > rev {
		return nil, fmt.Errorf("revision %d is %w: that begins with revision %d", rev, ErrPast, first)
	}
	f, err := r.run(i, term, func(t *emulator.Terminal, _ *eventlog.Event) bool { return t.Revision() >= rev })
	if err == nil && f.Terminal.Revision() < rev {
		return nil, fmt.Errorf("revision %d is %w: the latest is %d", rev, ErrFuture, f.Terminal.Revision())
	}
	return f, err
}

// atMarker returns the terminal as the last marker of this name was set. The id
// of a message is a marker too: where an input was typed, or an output ended.
func (r *Replay) atMarker(name string) (*Frame, error) {
	at := int64(-1)
	var names []string
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
	}
	if at < 0 {
		have := "there is none yet"
		if len(names) > 0 {
			have = fmt.Sprintf("the latest are %s", strings.Join(names, ", "))
		}
		return nil, fmt.Errorf("%w: %.80q; %s; ids of messages are markers", ErrMarker, name, have)
	}
	last := 0
	for i, s := range r.log.Segments {
		if s.Offset <= at {
			last = i
		}
	}
	i, term, err := r.begin(last, anyTerminal)
	if err != nil {
		return nil, err
	}
	return r.run(i, term, func(_ *emulator.Terminal, e *eventlog.Event) bool { return e.Offset >= at })
}

// maxNames is how many markers an error names.
const maxNames = 7

// MarkerOf returns the name that an event gives to its moment, "" for none.
func MarkerOf(e *eventlog.Event) string {
	switch {
	case e.Kind == eventlog.Marker:
		return string(e.Data)
	case e.Kind == eventlog.Note && e.Name == NoteMessage:
		var m MessageNote
		if json.Unmarshal(e.Data, &m) == nil {
			return m.ID
		}
	}
	return ""
}

// NoteMessage is the name of the note that holds a MessageNote.
const NoteMessage = "message"

// A MessageNote is one message of a session's list.
type MessageNote struct {
	ID      string `json:"id"`
	Type    string `json:"type"` // input or output
	Person  string `json:"person,omitempty"`
	At      int64  `json:"at"`             // Unix microseconds
	Size    int    `json:"size"`           // bytes of the content, with those left out; of a secret, those typed
	Left    int    `json:"left,omitempty"` // bytes left out, which the content says
	Content string `json:"content"`

	Offset int64 `json:"-"` // where in the log it was read
}

// Messages calls each for the messages in the log, oldest first.
func (r *Replay) Messages(each func(MessageNote)) error {
	for e, err := range r.log.Events(r.log.First()) {
		if err != nil {
			return err
		}
		var m MessageNote
		if e.Kind == eventlog.Note && e.Name == NoteMessage && json.Unmarshal(e.Data, &m) == nil {
			m.Offset = e.Offset
			each(m)
		}
	}
	return nil
}

// Bytes returns how many bytes the session has put out since it began, and how
// many were typed in the kept part of the log.
func (r *Replay) Bytes() (out, in int64, err error) {
	out = r.log.Segments[0].Output
	for e, err := range r.log.Events(r.log.First()) {
		if err != nil {
			return 0, 0, err
		}
		switch e.Kind {
		case eventlog.Output:
			out += int64(len(e.Data))
		case eventlog.Input:
			in += int64(len(e.Data))
		}
	}
	return out, in, nil
}
