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
	"github.com/glasstty/glasstty/session/mask"
	"github.com/glasstty/glasstty/session/state"
)

// A Tape is a recording to be played from its beginning: a session's log, or an
// asciicast file.
type Tape struct {
	Title  string
	Began  time.Duration // the time of its beginning
	start  func() (*emulator.Terminal, error)
	events iter.Seq2[eventlog.Event, error]
	damage func() eventlog.Damage
	mask   *mask.Mask // hides secrets in what cast writes; nil hides nothing
	cast   func(w io.Writer, version int, m *mask.Mask) error
}

// WriteCast writes the tape as an asciicast for players, version 2 or 3.
func (t *Tape) WriteCast(w io.Writer, version int) error { return t.cast(w, version, t.mask) }

// Start returns the terminal as the tape begins.
func (t *Tape) Start() (*emulator.Terminal, error) { return t.start() }

// Events returns the events, for Apply. Their data are valid until the next.
func (t *Tape) Events() iter.Seq2[eventlog.Event, error] { return t.events }

// Damage returns what could not be read of what was played so far.
func (t *Tape) Damage() eventlog.Damage { return t.damage() }

// Tape returns the log as a tape.
func (r *Replay) Tape() *Tape {
	return &Tape{
		Title: r.log.Command(), Began: r.log.Segments[0].Began, damage: r.log.Damage, mask: r.mask,
		cast: func(w io.Writer, version int, m *mask.Mask) error {
			hidden := *r
			hidden.mask = m
			return hidden.WriteCast(w, version, "")
		},
		start: func() (*emulator.Terminal, error) {
			_, term, err := r.begin(0, anyTerminal)
			return term, err
		},
		events: func(yield func(eventlog.Event, error) bool) {
			for i, s := range r.log.Segments {
				for e, err := range r.log.Segment(i) {
					if s.Pipe && e.Kind == eventlog.Output {
						e.Data = state.OfPipe(e.Data)
					}
					if !yield(e, err) || err != nil {
						return
					}
				}
			}
		},
	}
}

// MaxCast bounds an asciicast file that is read, in bytes.
const MaxCast = 256 << 20

// ReadCast reads an asciicast file, version 2 or 3, to be played in a terminal with
// the limits of o. Lines that are not events are left out. The error wraps ErrCast for
// other files.
func ReadCast(src io.Reader, o emulator.Options) (*Tape, error) { return readCast(src, o, MaxCast) }

// readCast reads a file of at most limit bytes.
func readCast(src io.Reader, o emulator.Options, limit int) (*Tape, error) {
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
	t := &Tape{
		Title:  h.Title,
		start:  func() (*emulator.Terminal, error) { return emulator.New(o), nil },
		events: castEvents(rest, h.Version, &bad),
		damage: func() eventlog.Damage { return eventlog.Damage{Records: bad} },
	}
	t.cast = func(w io.Writer, version int, m *mask.Mask) error {
		head := castHeader{Time: h.Time, Command: m.Text(h.Command), Title: m.Text(h.Title)}
		return copyCast(w, hideEvents(m, castEvents(rest, h.Version, &bad)), head, size, version)
	}
	return t, nil
}

// copyCast writes the events of an asciicast with the header h.
func copyCast(w io.Writer, events iter.Seq2[eventlog.Event, error], h castHeader, size emulator.Size, version int) error {
	c := newCastWriter(w, version, 0)
	if err := c.header(h, size); err != nil {
		return err
	}
	for e, err := range events {
		if err != nil {
			return err
		}
		if err := c.event(&e); err != nil {
			return err
		}
	}
	return c.rest()
}

// castEvents returns the events of an asciicast after its header, and counts in bad
// the lines that cannot be read.
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
				d = eventlog.Decoder{} // times are those since the beginning
			}
			line = bytes.TrimSpace(line)
			e, ok, wrong := d.Event(line)
			if wrong && len(line) > 0 && line[0] != '#' { // which begins a comment
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
