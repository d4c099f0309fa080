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

// setTitle sets the window title. The icon title (OSC 1) is not stored, because nothing
// shows it.
func (t *Terminal) setTitle(s string) {
	s = truncate(s, maxTitle)
	if s == t.title {
		return
	}
	t.title, t.changed = s, true
	t.queueEvent(Event{Kind: EventTitle, Text: s})
}

// truncate returns a copy of s, truncated to at most n bytes without splitting a character. A
// copy, unlike a slice of s, does not keep the whole of s in memory.
func truncate(s string, n int) string {
	if len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.Clone(s)
}
