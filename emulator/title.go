package emulator

import (
	"strings"
	"unicode/utf8"
)

// Limits on titles.
const (
	maxTitle      = 4096 // bytes of a title; the rest is cut off
	maxTitleStack = 10   // titles pushed by XTWINOPS 22, as in xterm
)

// titles holds the window title and the stack of XTWINOPS 22 and 23. The icon title
// (OSC 1) is not stored, because nothing shows it.
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
	s := append(t.titles.stack, t.titles.window)
	t.titles.stack = s[max(0, len(s)-maxTitleStack):]
}

func (t *Terminal) popTitle() {
	if n := len(t.titles.stack); n > 0 {
		s := t.titles.stack[n-1]
		t.titles.stack = t.titles.stack[:n-1]
		t.setTitle(s)
	}
}

// cut returns a copy of s, truncated to at most n bytes without dividing a character. A
// copy, unlike a slice of s, does not keep the whole of s in memory.
func cut(s string, n int) string {
	if len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.Clone(s)
}
