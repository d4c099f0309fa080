package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/emulator"
)

// A tape is a session's recording, played as far as needed.
type tape struct {
	events  []event
	next    int // first event that has not been played
	term    *emulator.Terminal
	shown   string        // the screen's text after the last event played
	changed time.Duration // when it last changed
	start   time.Time     // of the call that started the session
	typed   []time.Time   // when the calls that typed began
}

// An event is one line of an asciicast recording.
type event struct {
	at   time.Duration
	kind string
	data string
}

// began records when the session was requested.
func (t *tape) began(at time.Time) {
	t.start = at
	t.term = emulator.New(emulator.Options{Size: emulator.Size{Rows: 24, Cols: 80}})
}

// load reads a recording, of which a part may have been played before.
func (t *tape) load(data string) error {
	t.events = t.events[:0]
	var at time.Duration
	for i, line := range bytes.Split([]byte(data), []byte("\n")) {
		if i == 0 || len(line) == 0 || line[0] == '#' {
			continue
		}
		var raw []any
		if err := json.Unmarshal(line, &raw); err != nil || len(raw) < 3 {
			return fmt.Errorf("line %d of a recording: %.80q: %w", i+1, line, err)
		}
		seconds, _ := raw[0].(float64)
		kind, _ := raw[1].(string)
		text, _ := raw[2].(string)
		at += time.Duration(seconds * float64(time.Second))
		t.events = append(t.events, event{at, kind, text})
	}
	return nil
}

// zero returns the time at which the recording began: a call's input comes after
// the call began, so it is the latest time that the inputs allow.
func (t *tape) zero() time.Time {
	zero := t.start
	i := 0
	for _, began := range t.typed {
		for i < len(t.events) && (t.events[i].kind != "i" || zero.Add(t.events[i].at).Before(began)) {
			i++
		}
		if i == len(t.events) {
			break
		}
		if z := began.Add(-t.events[i].at); z.After(zero) {
			zero = z
		}
		i++
	}
	return zero
}

// play plays the events up to a time.
func (t *tape) play(until time.Duration) {
	for ; t.next < len(t.events) && t.events[t.next].at <= until; t.next++ {
		e := t.events[t.next]
		if e.kind != "o" {
			continue
		}
		t.term.Write([]byte(e.data))
		if now := t.term.Snapshot(0).Text(); now != t.shown {
			t.shown, t.changed = now, e.at
		}
	}
}

// view returns the screen and everything that has scrolled off it.
func (t *tape) view() view {
	var b strings.Builder
	snap := t.term.Snapshot(t.term.ScrollbackRows())
	for _, row := range snap.Scrollback {
		b.WriteString(strings.TrimRight(row.Text(), " ") + "\n")
	}
	v := view{text: b.String() + snap.Text(), alt: snap.Modes.AltScreen, row: len(snap.Scrollback) + snap.Cursor.Row}
	for _, row := range slices.Concat(snap.Scrollback, snap.Screen) {
		v.styles = append(v.styles, styleOf(row))
	}
	return v
}

// styleOf returns a hash of the style of a row's text.
func styleOf(row emulator.Row) uint64 {
	h := fnv.New64a()
	for i, c := range row.Cells {
		if c.Text != "" {
			fmt.Fprint(h, i, c.Style.FG, c.Style.BG, c.Style.Underline, c.Style.Attrs)
		}
	}
	return h.Sum64()
}
