package session

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
)

// maxSegment is when a recording begins a new segment, in bytes of output and
// input. The last two segments are kept.
const maxSegment = 1 << 20

// A recording keeps the latest of a session as events. It is cut into segments,
// each of which begins with the screen as it was, so that the oldest can go.
type recording struct {
	began    time.Time // of the session
	old, now segment
}

// A segment is a run of events.
type segment struct {
	start  time.Time
	size   emulator.Size
	screen []byte // draws the screen at the start
	events []castEvent
	data   []byte // of all events
}

// A castEvent is one event, by the letters of asciicast v3: o output, i input, r
// resize, x exit, m marker.
type castEvent struct {
	at   time.Time
	code byte
	end  int // of its bytes in the segment's data
}

// begin starts the recording.
func (r *recording) begin(now time.Time, size emulator.Size) {
	r.began = now
	r.now = segment{start: now, size: size}
}

// add appends an event.
func (r *recording) add(now time.Time, code byte, p []byte) {
	g := &r.now
	g.data = append(g.data, p...)
	g.events = append(g.events, castEvent{now, code, len(g.data)})
}

// full reports whether the next segment must begin. Events without bytes count
// too.
func (r *recording) full() bool {
	return len(r.now.data)+len(r.now.events)*eventCost > maxSegment
}

// eventCost is the memory of an event beside its bytes.
const eventCost = 40

// turn begins the next segment with the screen as it is.
func (r *recording) turn(now time.Time, term *emulator.Terminal) {
	shot := term.Snapshot(0)
	var screen strings.Builder
	// Nothing fails: the whole of shot is drawn, into memory.
	_ = picture.ANSI(&screen, shot, picture.Options{})
	var b bytes.Buffer
	b.WriteString("\x1b[2J\x1b[H")
	b.WriteString(strings.ReplaceAll(screen.String(), "\n", "\r\n"))
	fmt.Fprintf(&b, "\x1b[%d;%dH", shot.Cursor.Row+1, shot.Cursor.Col+1)
	r.old = r.now
	r.now = segment{start: now, size: shot.Size, screen: b.Bytes()}
}

// recordLocked appends an event of the session to its recording.
func (s *Session) recordLocked(now time.Time, code byte, p []byte) {
	s.rec.add(now, code, p)
	if s.rec.full() {
		s.rec.turn(now, s.term)
	}
}

// recordInputLocked appends what was typed, of a secret only how long it was.
func (s *Session) recordInputLocked(now time.Time, p []byte, secret bool) {
	if secret {
		s.recordLocked(now, 'm', fmt.Appendf(nil, "secret, %d bytes", secretLen(p)))
		return
	}
	s.recordLocked(now, 'i', p)
}

// castHeader is the first line of an asciicast v3 file.
type castHeader struct {
	Version int      `json:"version"`
	Term    castTerm `json:"term"`
	Time    int64    `json:"timestamp"`
	Command string   `json:"command,omitempty"`
	Title   string   `json:"title,omitempty"`
}

type castTerm struct {
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	Type string `json:"type"`
}

// WriteRecording writes the kept part of the session to w as asciicast v3
// (docs.asciinema.org/manual/asciicast/v3). A session of which more was output
// begins with the screen as it was. Secrets are not in it; bytes that are no
// UTF-8 are written as U+FFFD.
func (s *Session) WriteRecording(w io.Writer) error {
	s.mu.Lock()
	rec, title := s.rec, s.term.Title()
	s.mu.Unlock()
	// Segments only grow: what was copied under the lock does not change.
	return rec.write(w, strings.Join(append([]string{s.opt.Command}, s.opt.Args...), " "), title)
}

// write writes the recording of a session that runs command.
func (rec recording) write(w io.Writer, command, title string) error {
	parts := []segment{rec.old, rec.now}
	if rec.old.start.IsZero() {
		parts = parts[1:]
	}
	first := parts[0]
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	err := e.Encode(castHeader{
		Version: 3,
		Term:    castTerm{Cols: first.size.Cols, Rows: first.size.Rows, Type: "xterm-256color"},
		Time:    first.start.Unix(),
		Command: command,
		Title:   title,
	})
	if err != nil {
		return err
	}
	c := castWriter{e: e, last: first.start}
	c.event(first.start, 'o', first.screen)
	for _, p := range parts {
		from := 0
		for _, ev := range p.events {
			c.event(ev.at, ev.code, p.data[from:ev.end])
			from = ev.end
		}
	}
	return c.err
}

// A castWriter writes events with the time between them.
type castWriter struct {
	e    *json.Encoder
	last time.Time
	part []byte // the beginning of a character whose rest comes with the next output
	err  error
}

// event writes one event; output that ends within a character waits for more.
func (c *castWriter) event(at time.Time, code byte, p []byte) {
	if code == 'o' {
		p = append(c.part, p...)
		n := whole(p)
		c.part = bytes.Clone(p[n:])
		if p = p[:n]; n == 0 {
			return
		}
	}
	if c.err != nil {
		return
	}
	between := max(at.Sub(c.last), 0)
	c.last = at
	c.err = c.e.Encode([]any{json.Number(fmt.Sprintf("%.6f", between.Seconds())), string(code), string(p)})
}

// whole returns how many bytes of p do not belong to a character that is cut
// off at the end.
func whole(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if c := p[len(p)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(p[len(p)-n:]) {
				return len(p) - n
			}
			break
		}
	}
	return len(p)
}
