package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/state"
)

// A Recording is a session's log or an asciicast file, to be played from its beginning.
type Recording struct {
	Title  string
	Began  time.Duration                    // time from the session's start to the recording's beginning
	Start  func() *emulator.Terminal        // returns the terminal at the recording's beginning
	Events iter.Seq2[eventlog.Event, error] // events to pass to Apply; their data is valid until the next event
	Damage func() eventlog.Damage           // returns the damage in the events that Events has yielded

	nonce string                           // secret in the shell's marks, to be removed from casts; "" if there is none
	head  castHeader                       // header of an asciicast ("cast"), without version and size
	size  emulator.Size                    // size of the screen at the beginning of a cast
	cast  iter.Seq2[eventlog.Event, error] // events of a cast
}

// WriteCast writes the recording as an asciicast for players, version 2 or 3. Where a part of a log
// is missing, the cast draws the screen that was saved after that part, if it can be read. Invalid
// UTF-8 is replaced by U+FFFD, and the nonce of the shell's marks by zeros.
func (t *Recording) WriteCast(w io.Writer, version int) error {
	c := newCastWriter(castEscaper{w, t.nonce}, version, t.Began)
	if err := c.header(t.head, t.size); err != nil {
		return err
	}
	for e, err := range t.cast {
		if err != nil {
			return err
		}
		if err := c.event(&e); err != nil {
			return err
		}
	}
	return c.rest()
}

// Recording returns the log as a recording, with its secrets hidden by r.Mask.
func (r *Replay) Recording() *Recording {
	first := r.log.Segments[0]
	t := &Recording{
		Title: r.log.Command(), Began: first.Began, Damage: r.log.Damage, nonce: r.Nonce,
		head: castHeader{Time: first.Start.Add(first.Began).Unix(), Command: valid(r.log.Command()), Title: valid(r.Title)},
		size: emulator.Size{Rows: first.Rows, Cols: first.Cols},
		cast: r.events(true), Events: r.events(false),
		Start: func() *emulator.Terminal {
			_, term, _ := r.begin(0, nil)
			return term
		},
	}
	return t.Hide(r.Mask)
}

// events returns all events of the log, with carriage returns added to the output of pipes. If redraw is true,
// events adds output that draws the saved screen: at the beginning, and wherever earlier events are missing.
func (r *Replay) events(redraw bool) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		for i, s := range r.log.Segments {
			if redraw && (i == 0 || s.Lost > 0) {
				// If the saved terminal cannot be read, the cast lacks the earlier screen.
				if term := r.savedTerminal(i); term != nil && !yield(eventlog.Event{Kind: eventlog.Output, At: s.Began, Data: drawScreen(term.Snapshot(0))}, nil) {
					return
				}
			}
			for e, err := range r.log.Segment(i) {
				if s.Pipe && e.Kind == eventlog.Output {
					e.Data = state.AddCarriageReturns(e.Data)
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// MaxCast is the maximum size of an asciicast file that is read, in bytes.
const MaxCast = 256 << 20

// ReadCast reads an asciicast file, version 2 or 3, to be played on a terminal with the limits in
// o. It skips lines that are not events. If the file is not an asciicast or has more than MaxCast
// bytes, the error wraps ErrCast.
func ReadCast(src io.Reader, o emulator.Options) (*Recording, error) {
	return readCast(src, o, MaxCast)
}

// readCast is ReadCast with a limit on the bytes of the file.
func readCast(src io.Reader, o emulator.Options, limit int) (*Recording, error) {
	data, err := io.ReadAll(io.LimitReader(src, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(data) > limit {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrCast, limit)
	}
	first, rest, _ := bytes.Cut(data, []byte{'\n'})
	var h castHeader
	if json.Unmarshal(first, &h) != nil || h.Version != 2 && h.Version != 3 {
		return nil, fmt.Errorf("%w: its first line is %.60q", ErrCast, first)
	}
	size := emulator.Size{Rows: h.Height, Cols: h.Width}
	if h.Version == 3 && h.Term != nil {
		size = emulator.Size{Rows: h.Term.Rows, Cols: h.Term.Cols}
	}
	if size.Rows < 1 || size.Cols < 1 || size.Rows > emulator.MaxRows || size.Cols > emulator.MaxCols {
		return nil, fmt.Errorf("%w: its terminal has %d rows and %d columns", ErrCast, size.Rows, size.Cols)
	}
	o.Size = size
	bad := 0
	events := castEvents(rest, h.Version, &bad)
	return &Recording{
		Title:  h.Title,
		Start:  func() *emulator.Terminal { return emulator.New(o) },
		Damage: func() eventlog.Damage { return eventlog.Damage{Records: bad} },
		head:   castHeader{Time: h.Time, Command: h.Command, Title: h.Title},
		size:   size, cast: events, Events: events,
	}, nil
}

// castEvents returns the events in data, an asciicast without its header. While they are read, bad
// counts the lines that cannot be decoded.
func castEvents(data []byte, version int, bad *int) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		var d eventlog.Decoder
		var last time.Duration
		lines := bufio.NewReader(bytes.NewReader(data))
		*bad = 0
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				yield(eventlog.Event{}, err)
				return
			}
			if version == 2 {
				d = eventlog.Decoder{} // version 2 counts times from the beginning, version 3 from the previous event
			}
			line = bytes.TrimSpace(line)
			e, ok, wrong := d.Decode(line)
			if wrong && len(line) > 0 && line[0] != '#' { // # begins a comment
				*bad++
			}
			e.At = max(e.At, last)
			last = e.At
			if ok && !yield(e, nil) || err != nil {
				return
			}
		}
	}
}
