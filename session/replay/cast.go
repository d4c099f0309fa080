package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/state"
)

// castHeader is the first line of an asciicast, v3 by Term and v2 by Width and
// Height (docs.asciinema.org/manual/asciicast).
type castHeader struct {
	Version int       `json:"version"`
	Term    *castTerm `json:"term,omitempty"`
	Width   int       `json:"width,omitempty"`
	Height  int       `json:"height,omitempty"`
	Time    int64     `json:"timestamp,omitempty"`
	Command string    `json:"command,omitempty"`
	Title   string    `json:"title,omitempty"`
}

type castTerm struct {
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	Type string `json:"type,omitempty"`
}

// WriteCast writes what is kept of a log as an asciicast for players, version 2
// or 3. A log whose beginning is gone begins with the screen as it was. Bytes that
// are not UTF-8 are U+FFFD in it, and the secret number in a shell's marks is zeros.
func (r *Replay) WriteCast(w io.Writer, version int, title string) error {
	c := newCastWriter(w, version, r.log.Segments[0].Began)
	h := &hider{mask: r.mask, next: c.event}
	if err := r.beginCast(c, h, title); err != nil {
		return err
	}
	for i := range r.log.Segments {
		s := &r.log.Segments[i]
		if s.Lost > 0 && i > 0 && s.State {
			if err := r.redraw(h, i); err != nil {
				return err
			}
		}
		for e, err := range r.log.Segment(i) {
			if err != nil {
				return err
			}
			if s.Pipe && e.Kind == eventlog.Output {
				e.Data = state.OfPipe(e.Data)
			}
			if err := h.event(&e); err != nil {
				return err
			}
		}
	}
	if err := h.end(); err != nil {
		return err
	}
	return c.rest()
}

// beginCast writes the header and the log's first screen.
func (r *Replay) beginCast(c *castWriter, h *hider, title string) error {
	first := r.log.Segments[0]
	head := castHeader{Time: first.Start.Add(first.Began).Unix(), Command: r.mask.Text(valid(r.log.Command())), Title: r.mask.Text(valid(title))}
	if err := c.header(head, emulator.Size{Rows: first.Rows, Cols: first.Cols}); err != nil || !first.State {
		return err
	}
	return r.redraw(h, 0)
}

// redraw writes the screen at the start of segment i as output.
func (r *Replay) redraw(h *hider, i int) error {
	term, err := r.start(i)
	if err != nil {
		return nil // of another version: players see what comes
	}
	s := r.log.Segments[i]
	return h.event(&eventlog.Event{Kind: eventlog.Output, At: s.Began, Data: Draw(term.Snapshot(0))})
}

// Draw returns the sequences that draw a screen on a terminal of its size.
func Draw(shot *emulator.Snapshot) []byte {
	var screen strings.Builder
	// Nothing fails: the whole of shot is drawn, into memory.
	_ = picture.ANSI(&screen, shot, picture.Options{})
	var b bytes.Buffer
	b.WriteString("\x1b[m\x1b[?7l\x1b[2J\x1b[H")
	b.WriteString(strings.ReplaceAll(screen.String(), "\n", "\r\n"))
	fmt.Fprintf(&b, "\x1b[?7h\x1b[%d;%dH\x1b[?25%c", shot.Cursor.Row+1, shot.Cursor.Col+1, map[bool]byte{true: 'h', false: 'l'}[shot.Cursor.Visible])
	return b.Bytes()
}

// A castWriter writes events for players.
type castWriter struct {
	e           *json.Encoder
	version     int
	began, last time.Duration
	part        [2][]byte // the beginning of a character whose rest comes with the next output or input
	marks       blanker
}

// escapesControls writes JSON without the control characters that JSON lets stand, as
// terminals obey some of them: DEL and C1.
type escapesControls struct{ w io.Writer }

// Write writes a whole value.
func (e escapesControls) Write(p []byte) (int, error) {
	var out []byte
	for _, r := range string(p) {
		if r >= 0x7f && r < 0xa0 {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	if _, err := e.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// newCastWriter returns a writer for events from the time began on.
func newCastWriter(w io.Writer, version int, began time.Duration) *castWriter {
	c := &castWriter{version: version, began: began, last: began, e: json.NewEncoder(escapesControls{w})}
	c.e.SetEscapeHTML(false)
	return c
}

// header writes the first line.
func (c *castWriter) header(h castHeader, size emulator.Size) error {
	h.Version = c.version
	h.Width, h.Height, h.Term = 0, 0, nil
	if c.version == 2 {
		h.Width, h.Height = size.Cols, size.Rows
	} else {
		h.Term = &castTerm{Cols: size.Cols, Rows: size.Rows, Type: "xterm-256color"}
	}
	return c.e.Encode(h)
}

// event writes one event; text that ends within a character waits for more.
func (c *castWriter) event(e *eventlog.Event) error {
	data := string(e.Data)
	switch e.Kind {
	case eventlog.Output:
		data = c.whole(0, c.marks.blank(e.Data))
	case eventlog.Input:
		data = c.whole(1, e.Data)
	case eventlog.Resize:
		data = fmt.Sprintf("%dx%d", e.Cols, e.Rows)
	case eventlog.Exit:
		data = fmt.Sprint(e.Code)
		if c.version == 2 {
			return nil
		}
	case eventlog.Note:
		return nil
	}
	if data == "" && e.Kind != eventlog.Marker {
		return nil
	}
	return c.line(e.At, e.Kind, data)
}

// line writes one line.
func (c *castWriter) line(at time.Duration, k eventlog.Kind, data string) error {
	since := at - c.began
	if c.version == 3 {
		since = max(at-c.last, 0)
		c.last = at
	}
	return c.e.Encode([]any{json.Number(fmt.Sprintf("%.6f", since.Seconds())), string(k), valid(data)})
}

// whole returns the text of bytes up to the last whole character, and keeps the
// rest.
func (c *castWriter) whole(i int, p []byte) string {
	p = append(c.part[i], p...)
	n := runes.Whole(p)
	c.part[i] = bytes.Clone(p[n:])
	return string(p[:n])
}

// rest writes what was never completed.
func (c *castWriter) rest() error {
	if len(c.part[0]) == 0 {
		return nil
	}
	return c.line(c.last, eventlog.Output, string(c.part[0]))
}

// valid returns text with U+FFFD for what is not UTF-8.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
