package emulator

import (
	"strings"
	"unicode/utf8"
)

// The limits of titles.
const (
	maxTitle      = 4096 // bytes of a title; the rest is cut off
	maxTitleStack = 10   // titles that XTWINOPS 22 keeps, as in xterm
)

// titles are the window title and the stack of XTWINOPS 22 and 23. The icon's
// title (OSC 1) is not shown anywhere, so it is not kept.
type titles struct {
	window string
	stack  []string
}

func (t *Terminal) setTitle(s string) {
	s = cut(s, maxTitle)
	if s == t.titles.window {
		return
	}
	t.titles.window = s
	t.event(Event{Kind: EventTitle, Text: s})
}

func (t *Terminal) pushTitle() {
	if len(t.titles.stack) == maxTitleStack {
		t.titles.stack = append(t.titles.stack[:0], t.titles.stack[1:]...)
	}
	t.titles.stack = append(t.titles.stack, t.titles.window)
}

func (t *Terminal) popTitle() {
	if n := len(t.titles.stack); n > 0 {
		s := t.titles.stack[n-1]
		t.titles.stack = t.titles.stack[:n-1]
		t.setTitle(s)
	}
}

// cut shortens s to at most n bytes of whole characters. The copy does not hold
// on to the string it came from.
func cut(s string, n int) string {
	if len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.Clone(s)
}
