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
	motionEvery = 25 * time.Millisecond
	// maxMoving is the maximum number of rows of a spinner.
	maxMoving = 2
	// minMoves is the number of changes after which rows count as a spinner.
	minMoves = 4
	// minSpin and maxSpin bound the time after which a spinner that stands still counts as
	// stopped: three times the time between two of its states.
	minSpin = 200 * time.Millisecond
	maxSpin = 700 * time.Millisecond
	// blinkPeriod is the minimum time between two changes of a blinking cursor, which has two
	// states and is not a spinner.
	blinkPeriod = 250 * time.Millisecond
	// echoLimit is how long after other changes a full-screen program may show a typed
	// character at its cursor.
	echoLimit = 500 * time.Millisecond
)

// A motion tracks text that keeps changing in the same few rows of the screen: a spinner, or
// a counter of seconds. Its zero value has seen nothing.
type motion struct {
	from *look         // the look just before the last input
	last *look         // the last look at the screen
	at   time.Time     // time of the last look
	new  time.Time     // time of the first look since the input that saw changed text
	rows []int         // the rows that changed last
	was  string        // text of rows[0] before the last change
	is   string        // text of rows[0] after the last change
	n    int           // number of successive changes of these rows alone
	time time.Time     // time of the last change
	gap  time.Duration // decaying maximum of the time between two changes
	says detect.Busy   // whether the text that is new since the input says that the program is busy
	echo echo
}

// A look is the screen at one moment.
type look struct {
	rows     []emulator.RowText
	revision uint64
	size     emulator.Size
	cursor   emulator.Cursor
}

// look looks at the screen.
func (w *Watch) look() *look {
	var before []emulator.RowText
	if w.motion.last != nil {
		before = w.motion.last.rows
	}
	t := w.State.Term
	return &look{t.RowTexts(before), t.Revision(), t.Size(), t.Cursor()}
}

// beforeCursor returns the text before the cursor in its row.
func (l *look) beforeCursor() string { return text.UpTo(l.rows[l.cursor.Row].Text, l.cursor.Col) }

// An echo tracks the echo of the last character typed to a full-screen program.
type echo struct {
	char rune      // the character, or 0 if the last key prints none
	was  string    // the text before the cursor just before it was typed
	at   time.Time // time of the first look that saw it before the cursor
}

// NewMotion restarts the tracking with the screen as it is just before an input.
func (w *Watch) NewMotion() {
	now := w.look()
	w.motion = motion{from: now, last: now}
}

// ExpectEcho notes a piece of typed input as it goes out to a full-screen program.
func (w *Watch) ExpectEcho(data []byte) {
	e := &w.motion.echo
	*e = echo{was: w.look().beforeCursor()}
	if r, _ := utf8.DecodeLastRune(data); r >= ' ' && r != 0x7f && bytes.IndexByte(data, '\x1b') < 0 {
		e.char = r
	}
}

// drawn returns when the screen first showed the effect of the input: the typed character at
// the cursor, or else any change. Other changes may have preceded the reading of the key.
func (m *motion) drawn() time.Time {
	switch {
	case m.new.IsZero() || m.echo.char == 0:
		return m.new
	case m.echo.at.IsZero():
		return m.new.Add(echoLimit)
	}
	return m.echo.at
}

// lookAtMotion looks at the screen for motion, if a look is due.
func (w *Watch) lookAtMotion(now time.Time) {
	m := &w.motion
	if now.Sub(m.at) < motionEvery || m.last != nil && m.last.revision == w.State.Term.Revision() {
		return
	}
	seen := w.look()
	if m.from == nil || m.from.size != seen.size {
		m.from, m.last = &look{rows: make([]emulator.RowText, seen.size.Rows), size: seen.size}, seen
	}
	m.take(seen, now)
}

// take compares the screen with the last look.
func (m *motion) take(seen *look, now time.Time) {
	rows := changedRows(m.last, seen)
	m.last, m.at = seen, now
	if e := &m.echo; e.char != 0 && e.at.IsZero() {
		if text := seen.beforeCursor(); text != e.was && strings.HasSuffix(text, string(e.char)) {
			e.at = now
		}
	}
	if len(rows) == 0 {
		return // colours alone
	}
	if m.new.IsZero() {
		m.new = now
	}
	m.says = saysBusy(m.from, seen)
	text := seen.rows[rows[0]].Text
	gap := now.Sub(m.time)
	switch {
	case len(rows) > maxMoving, !sameRows(m.rows, rows), gap > maxSpin:
		m.n, m.gap, m.was = 0, 0, ""
	case text != m.was || gap < blinkPeriod:
		m.n++
		m.gap = max(gap, m.gap-m.gap/8)
	}
	m.rows, m.was, m.is, m.time = rows, m.is, text, now
}

// until returns when the spinner counts as stopped, or zero if there is no spinner.
func (m *motion) until() time.Time {
	if m.n < minMoves {
		return time.Time{}
	}
	return m.time.Add(min(max(minSpin, 3*m.gap), maxSpin))
}

// changedRows returns the rows whose text differs. Both looks must have the same size.
func changedRows(a, b *look) (rows []int) {
	for r := range b.rows {
		if a.rows[r].Text != b.rows[r].Text {
			rows = append(rows, r)
		}
	}
	return rows
}

// sameRows reports whether all rows of the shorter list are in the other one. It is false for an
// empty list.
func sameRows(a, b []int) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for _, r := range a {
		if !slices.Contains(b, r) {
			return false
		}
	}
	return len(a) > 0
}

// saysBusy reports whether the rows that have changed since from say that the program is busy.
func saysBusy(from, seen *look) detect.Busy {
	var says detect.Busy
	for _, r := range changedRows(from, seen) {
		says = max(says, detect.SaysBusy(seen.rows[r].Text))
	}
	return says
}

// Spinning returns the text of the row that keeps changing, such as a spinner's, or "" if there
// is none.
func (w *Watch) Spinning(now time.Time) string {
	if !now.Before(w.motion.until()) {
		return ""
	}
	return strings.TrimSpace(w.motion.is)
}
