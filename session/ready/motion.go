package ready

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/text"
)

const (
	// motionEvery is the minimum time between two looks at the screen for motion.
	motionEvery    = 25 * time.Millisecond
	maxSpinnerRows = 2 // a change of more rows is not the motion of a spinner
	// minChanges is the number of changes after which rows count as a spinner.
	minChanges = 4
	// A spinner counts as stopped if its text has not changed for three times the gap between its
	// changes (spinner.gap), but not before minSpin, and in any case after maxSpin.
	minSpin = 200 * time.Millisecond
	maxSpin = 700 * time.Millisecond
	// blinkPeriod is the minimum time between two changes of a blinking cursor, which has two
	// states and is not a spinner.
	blinkPeriod = 250 * time.Millisecond
	// If the screen changes after a typed character, a full-screen program may show the character
	// at its cursor as late as echoLimit after that change.
	echoLimit = 2 * time.Second
)

// A motion tracks the changes of the screen since the last input. The zero value is ready to use.
type motion struct {
	before    *screen     // the screen just before the input
	last      *screen     // the screen at the last look
	lookedAt  time.Time   // time of the last look
	changedAt time.Time   // time of the first look that saw changed text
	busy      detect.Busy // whether the changed rows say that the program is busy
	echo      echo
	spinner   spinner
}

// A screen is the text of the screen at one moment.
type screen struct {
	rows     []emulator.RowText
	revision uint64
	size     emulator.Size
	cursor   emulator.Cursor
}

// screen returns the present screen. It shares the rows that have not changed since the last look
// for motion.
func (w *Watch) screen() *screen {
	var known []emulator.RowText
	if w.motion.last != nil {
		known = w.motion.last.rows
	}
	t := w.State.Term
	return &screen{t.RowTexts(known), t.Revision(), t.Size(), t.Cursor()}
}

// beforeCursor returns the text left of the cursor in its row.
func (s *screen) beforeCursor() string { return text.UpTo(s.rows[s.cursor.Row].Text, s.cursor.Col) }

// changedRows returns the rows whose text differs from that of another screen of the same size.
func (s *screen) changedRows(since *screen) (rows []int) {
	for r := range s.rows {
		if since.rows[r].Text != s.rows[r].Text {
			rows = append(rows, r)
		}
	}
	return rows
}

// An echo tracks the echo of the last character typed to a full-screen program.
type echo struct {
	char   rune      // the character, or 0 if the last key prints none
	before string    // the text left of the cursor just before the character was typed
	seenAt time.Time // time of the first look that saw the character left of the cursor
}

// RestartMotion restarts the tracking with the screen as it is just before an input.
func (w *Watch) RestartMotion() {
	now := w.screen()
	w.motion = motion{before: now, last: now}
}

// ExpectEcho records which echo to expect of a piece of input. It is called just before the piece is
// written to a full-screen program.
func (w *Watch) ExpectEcho(data []byte) {
	e := &w.motion.echo
	*e = echo{before: w.screen().beforeCursor()}
	if r, _ := utf8.DecodeLastRune(data); r >= ' ' && r != 0x7f && bytes.IndexByte(data, '\x1b') < 0 {
		e.char = r
	}
}

// resultAt returns when the screen first showed the effect of the input, or zero if it has not:
// the typed character at the cursor or, if none was typed, any change. If the typed character has
// not been seen, the time is echoLimit after the first change, because that change may have happened
// before the program read the key.
func (m *motion) resultAt() time.Time {
	switch {
	case m.changedAt.IsZero() || m.echo.char == 0:
		return m.changedAt
	case m.echo.seenAt.IsZero():
		return m.changedAt.Add(echoLimit)
	}
	return m.echo.seenAt
}

// lookAtMotion looks at the screen for motion, if a look is due.
func (w *Watch) lookAtMotion(now time.Time) {
	m := &w.motion
	if now.Sub(m.lookedAt) < motionEvery || m.last != nil && m.last.revision == w.State.Term.Revision() {
		return
	}
	present := w.screen()
	if m.before == nil || m.before.size != present.size {
		m.before, m.last = &screen{rows: make([]emulator.RowText, present.size.Rows), size: present.size}, present
	}
	m.look(present, now)
}

// look compares the present screen with that of the last look.
func (m *motion) look(present *screen, now time.Time) {
	rows := present.changedRows(m.last)
	m.last, m.lookedAt = present, now
	if e := &m.echo; e.char != 0 && e.seenAt.IsZero() {
		if text := present.beforeCursor(); text != e.before && strings.HasSuffix(text, string(e.char)) {
			e.seenAt = now
		}
	}
	if len(rows) == 0 {
		return // no text has changed
	}
	if m.changedAt.IsZero() {
		m.changedAt = now
	}
	m.busy = detect.BusyNot
	for _, r := range present.changedRows(m.before) {
		m.busy = max(m.busy, detect.SaysBusy(present.rows[r].Text))
	}
	m.spinner.change(rows, present.rows[rows[0]].Text, now)
}

// A spinner is text that keeps changing in the same few rows: a rotating bar, or a counter of
// seconds.
type spinner struct {
	rows      []int         // the rows that changed last
	text      string        // the text of rows[0] after the last change
	previous  string        // the text of rows[0] before the last change
	changes   int           // number of successive changes of these rows alone
	changedAt time.Time     // time of the last change
	gap       time.Duration // maximum time between two changes; an old maximum decays by 1/8 per change
}

// change records a change of rows. text is the present text of rows[0].
func (s *spinner) change(rows []int, text string, now time.Time) {
	gap := now.Sub(s.changedAt)
	switch {
	case len(rows) > maxSpinnerRows, !includesRows(s.rows, rows), gap > maxSpin:
		s.changes, s.gap = 0, 0
	case text != s.previous || gap < blinkPeriod:
		s.changes++
		s.gap = max(gap, s.gap-s.gap/8)
	}
	s.rows, s.previous, s.text, s.changedAt = rows, s.text, text, now
}

// stopsAt returns when the spinner counts as stopped, or zero if there is no spinner.
func (s *spinner) stopsAt() time.Time {
	if s.changes < minChanges {
		return time.Time{}
	}
	return s.changedAt.Add(min(max(minSpin, 3*s.gap), maxSpin))
}

// includesRows reports whether all rows of the shorter list are in the other one. It is false for an
// empty list.
func includesRows(a, b []int) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 0 && !slices.ContainsFunc(a, func(r int) bool { return !slices.Contains(b, r) })
}
