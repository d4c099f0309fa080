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

// castHeader is the first line of an asciicast (docs.asciinema.org/manual/asciicast).
// Version 3 uses Term, and version 2 Width and Height.
type castHeader struct {
	Version int       `json:"version"`
	Term    *castTerm `json:"term,omitempty"`
	Width   int       `json:"width,omitempty"`
	Height  int       `json:"height,omitempty"`
	Time    int64     `json:"timestamp,omitempty"`
	Command string    `json:"command,omitempty"`
	Title   string    `json:"title,omitempty"`
}

// castTerm is the terminal in a header of version 3.
type castTerm struct {
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	Type string `json:"type,omitempty"`
}

// drawScreen returns the control sequences that draw a screen on a terminal of the same size.
func drawScreen(shot *emulator.Snapshot) []byte {
	var screen strings.Builder
	// This cannot fail: it draws all of shot into memory.
	_ = picture.ANSI(&screen, shot, picture.Options{})
	var b bytes.Buffer
	b.WriteString("\x1b[m\x1b[?7l\x1b[2J\x1b[H")
	b.WriteString(strings.ReplaceAll(screen.String(), "\n", "\r\n"))
	fmt.Fprintf(&b, "\x1b[?7h\x1b[%d;%dH\x1b[?25%c", shot.Cursor.Row+1, shot.Cursor.Col+1, map[bool]byte{true: 'h', false: 'l'}[shot.Cursor.Visible])
	return b.Bytes()
}

// A castWriter writes events as the lines of a cast.
type castWriter struct {
	e           *json.Encoder
	version     int
	began, last time.Duration // times of the cast's beginning and of its last event
	part        [2][]byte     // bytes of an incomplete character at the end of the output, and of the input
	marks       blanker
}

// A castEscaper writes the lines of a cast. It escapes DEL and the C1 control characters, which
// JSON allows in strings but some terminals obey. It also replaces the nonce of the shell's marks
// with zeros. The nonce must not leave the server: a program that knows it can make a running
// command look finished.
type castEscaper struct {
	w     io.Writer
	nonce string // "" if there is none
}

// Write writes p, which must be a complete line.
func (e castEscaper) Write(p []byte) (int, error) {
	line := string(p)
	if e.nonce != "" {
		line = strings.ReplaceAll(line, e.nonce, state.Blank(e.nonce))
	}
	var out []byte
	for _, r := range line {
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

// newCastWriter returns a writer for a cast that begins at the time began.
func newCastWriter(w castEscaper, version int, began time.Duration) *castWriter {
	c := &castWriter{version: version, began: began, last: began, e: json.NewEncoder(w)}
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

// event writes one event, unless casts of this version have no such event, or there is nothing to write. It
// keeps an incomplete character at the end of the data for the next event of the same kind.
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

// whole returns c.part[i] followed by p, up to the last complete character, and stores the rest in c.part[i].
func (c *castWriter) whole(i int, p []byte) string {
	p = append(c.part[i], p...)
	n := runes.CompleteLen(p)
	c.part[i] = bytes.Clone(p[n:])
	return string(p[:n])
}

// rest writes the incomplete character at the end of the output, if there is one.
func (c *castWriter) rest() error {
	if len(c.part[0]) == 0 {
		return nil
	}
	return c.line(c.last, eventlog.Output, string(c.part[0]))
}

// valid returns text with U+FFFD in place of invalid UTF-8.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
