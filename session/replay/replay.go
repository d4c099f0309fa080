package replay

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/mask"
	"github.com/glasstty/glasstty/session/state"
)

// A Replay plays a log on a terminal. It is safe for concurrent use.
type Replay struct {
	log *eventlog.Log
	Session
}

// A Session describes the session whose log is replayed.
type Session struct {
	Terminal emulator.Options // options for the terminal; should have the session's limits
	Mask     *mask.Mask       // hides secrets in recordings; nil hides nothing
	Nonce    string           // secret in the shell's marks, which recordings must not contain; "" if there is none
	Title    string           // title of recordings
	Next     int64            // number of the first message that is not logged yet
}

// New returns a replay of a log.
func New(l *eventlog.Log, s Session) *Replay { return &Replay{l, s} }

// Damage returns the damage in the part of the log that was read.
func (r *Replay) Damage() eventlog.Damage { return r.log.Damage() }

// A Frame is the terminal at a moment of a replay.
type Frame struct {
	Terminal *emulator.Terminal
	At       time.Duration // time from the session's start to the last event before the moment
}

// savedTerminal returns the terminal that was saved at the start of segment i, or nil if there is
// none that can be read.
func (r *Replay) savedTerminal(i int) *emulator.Terminal {
	return state.SavedTerminal(r.log, i, r.Terminal)
}

// firstKnown returns the first segment at whose start the terminal is known: it has a saved state,
// or is the session's start. If there is none, it returns 0.
func (r *Replay) firstKnown() int {
	return max(0, slices.IndexFunc(r.log.Segments, func(s eventlog.Segment) bool { return s.Offset == 0 || s.HasState }))
}

// begin returns the latest segment up to last whose saved terminal can be read, and that terminal.
// If fits is not nil, fits must accept the terminal. If there is no such segment, begin returns the
// segment firstKnown, with a blank terminal if its saved terminal cannot be read. exact reports
// whether term equals the session's terminal there.
func (r *Replay) begin(last int, fits func(*emulator.Terminal) bool) (i int, term *emulator.Terminal, exact bool) {
	first := min(last, r.firstKnown())
	for i := last; i >= first; i-- {
		if term := r.savedTerminal(i); term != nil && (i == first || fits == nil || fits(term)) {
			return i, term, true
		}
	}
	o, s := r.Terminal, r.log.Segments[first]
	o.Size = emulator.Size{Rows: s.Rows, Cols: s.Cols}
	return first, emulator.New(o), s.Offset == 0
}

// runFrom calls run with the latest saved terminal at or before the last segment for which before
// returns true.
func (r *Replay) runFrom(before func(eventlog.Segment) bool, stop func(*emulator.Terminal, *eventlog.Event) bool) (*Frame, error) {
	last := 0
	for i, s := range r.log.Segments {
		if before(s) {
			last = i
		}
	}
	i, term, _ := r.begin(last, nil)
	return r.run(i, term, stop)
}

// run replays from segment i until stop returns true, or to the log's end. It calls stop before each event.
func (r *Replay) run(i int, term *emulator.Terminal, stop func(*emulator.Terminal, *eventlog.Event) bool) (*Frame, error) {
	f := &Frame{Terminal: term, At: r.log.Segments[i].Began}
	for n := i; n < len(r.log.Segments); n++ {
		if n > i && r.log.Segments[n].Lost > 0 {
			// The saved terminal includes the effect of the lost events.
			if saved := r.savedTerminal(n); saved != nil {
				f.Terminal = saved
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

// Apply applies an event to a terminal. It drops the terminal's replies and returns the terminal's
// events. pipe says that the program's output comes from a pipe.
func Apply(term *emulator.Terminal, e *eventlog.Event, pipe bool) []emulator.Event {
	state.Feed(term, e, pipe)
	term.TakeReplies()
	return term.TakeEvents()
}

// Start returns the time when the session began.
func (r *Replay) Start() time.Time { return r.log.Segments[0].Start }

// From returns the time of the beginning of the log, whose oldest segments may have been removed.
func (r *Replay) From() time.Time { return r.Start().Add(r.log.Segments[0].Began) }

// storedSince says from which time on the log shows what was on the terminal.
func (r *Replay) storedSince() string {
	s := r.log.Segments[r.firstKnown()]
	return fmt.Sprintf("it is kept from %s on, %.3f s after the session's start", formatTime(s.Start.Add(s.Began)), s.Began.Seconds())
}

// formatTime formats a time for people.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// atTime returns the terminal after all events up to t.
func (r *Replay) atTime(t time.Time) (*Frame, error) {
	at := t.Sub(r.Start())
	if r.log.Segments[0].Began == 0 && at < 0 {
		return nil, fmt.Errorf("%w: %s is before the session's start, %s", ErrMoment, formatTime(t), formatTime(r.Start()))
	}
	if at < r.log.Segments[r.firstKnown()].Began {
		return nil, fmt.Errorf("%s is %w: %s", formatTime(t), ErrPast, r.storedSince())
	}
	return r.runFrom(func(s eventlog.Segment) bool { return s.Began <= at },
		func(_ *emulator.Terminal, e *eventlog.Event) bool { return e.At > at })
}

// atRevision returns the terminal after the first event with which its revision reached rev.
func (r *Replay) atRevision(rev uint64) (*Frame, error) {
	i, term, exact := r.begin(len(r.log.Segments)-1, func(t *emulator.Terminal) bool { return t.Revision() <= rev })
	if !exact {
		return nil, fmt.Errorf("revision %d may be %w: no screen saved in it can be read, so its revisions are unknown; give a time: %s", rev, ErrPast, r.storedSince())
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

// atMarker returns the terminal at the last marker with this name, or at the message with this ID: when the
// message's input was typed or its output ended. If name is the ID of the message r.Next, which is not in
// the log yet, the moment is the log's end: the output of that message may still grow.
func (r *Replay) atMarker(name string) (*Frame, error) {
	at := int64(-1)
	var names []string
	for e, err := range r.log.Events() {
		if err != nil {
			return nil, err
		}
		label := MarkerOf(&e)
		if label == "" {
			continue
		}
		if label == name {
			at = e.Offset
		}
		names = append(names[max(0, len(names)-maxNames):], label)
	}
	known := r.log.Segments[r.firstKnown()].Offset
	switch n := messageNumber(name); {
	case at < 0 && n == r.Next:
		at = math.MaxInt64
	case at >= 0 && at < known, at < 0 && known > 0 && n >= 0 && n < r.Next:
		return nil, fmt.Errorf("%.80q is %w: %s", name, ErrPast, r.storedSince())
	case at < 0:
		have := "there is none yet"
		switch {
		case len(names) > 0:
			have = fmt.Sprintf("the latest are %s", strings.Join(append(names, state.MessageID(r.Next)), ", "))
		case known > 0:
			have = "there is none in the stored part of the log"
		}
		return nil, fmt.Errorf("%w: %.80q; %s; give %s", ErrMarker, name, have, Moments)
	}
	return r.runFrom(func(s eventlog.Segment) bool { return s.Offset <= at },
		func(_ *emulator.Terminal, e *eventlog.Event) bool { return e.Offset >= at })
}

// messageNumber returns the number in name if name is the ID of a message, or else -1.
func messageNumber(name string) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(name, "m"), 10, 64)
	if err != nil || name != state.MessageID(n) {
		return -1
	}
	return n
}

// maxNames is the maximum number of markers that an error names.
const maxNames = 7

// MarkerOf returns the name of the marker or message that an event records, or "".
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

// Messages calls each for each message in the log, oldest first.
func (r *Replay) Messages(each func(eventlog.MessageNote)) error {
	for e, err := range r.log.Events() {
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
