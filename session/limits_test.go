package session

import (
	"slices"
	"strings"
	"testing"
)

// TestQueueLimits fills the queue with typed bytes and with replies.
func TestQueueLimits(t *testing.T) {
	q := newQueue()
	piece := item{data: make([]byte, pieceSize), call: &typing{}}
	put := 0
	for {
		ok, failed, _ := q.put(piece)
		if failed {
			t.Fatal("the queue has failed")
		}
		if !ok {
			break
		}
		put += pieceSize
	}
	if put != queueLimit || q.typed != put {
		t.Errorf("%d typed bytes queued, counted %d, want %d", put, q.typed, queueLimit)
	}
	replies := 0
	for q.reply(make([]byte, 1000), 0) {
		replies += 1000
	}
	if replies == 0 || replies > replyLimit {
		t.Errorf("%d bytes of replies queued, limit %d", replies, replyLimit)
	}
	if _, ok := q.take(); !ok {
		t.Fatal("nothing to take")
	}
	_, _, changed := q.put(piece)
	q.take() // the first piece is written by now, and makes room
	select {
	case <-changed:
	default:
		t.Error("room was made and nobody told")
	}
	if ok, _, _ := q.put(piece); !ok {
		t.Error("no room after a piece was written")
	}
	q.fail()
	if _, ok := q.take(); ok {
		t.Error("a failed queue gives items")
	}
	if _, failed, _ := q.put(piece); !failed {
		t.Error("a failed queue takes items")
	}
}

// TestEchoLimits types more lines, and marks more places, than are remembered.
func TestEchoLimits(t *testing.T) {
	var e echoes
	lines := strings.Split(strings.Repeat("x\n", 3*maxTypedLines), "\n")
	e.typed(&typing{lines: lines, onText: true}, -1, false)
	if len(e.pending) != maxTypedLines {
		t.Errorf("%d typed lines kept, want %d", len(e.pending), maxTypedLines)
	}
	for i := range 3 * maxSpans {
		e.mark(span{line: int64(i)})
	}
	if len(e.spans) != maxSpans || e.spans[maxSpans-1].line != 3*maxSpans-1 {
		t.Errorf("%d spans kept, want the last %d", len(e.spans), maxSpans)
	}
	e.typed(&typing{lines: []string{"secret"}, onText: false}, -1, false)
	if e.pending[len(e.pending)-1].text == "secret" {
		t.Error("a line typed to a full-screen program is searched in the text")
	}
}

// TestRemember remembers more process groups than it may.
func TestRemember(t *testing.T) {
	var groups []int
	for g := range 3 * maxFronts {
		groups = remember(remember(groups, g), g)
	}
	if len(groups) != maxFronts || groups[maxFronts-1] != 3*maxFronts-1 || slices.Contains(groups, 0) {
		t.Errorf("remembered %v", groups)
	}
}

func TestStrip(t *testing.T) {
	for _, tt := range []struct {
		text  string
		spans []span
		left  string
		gone  bool
	}{
		{"$ echo x", []span{{to: lineEnd}}, "", true},
		{"abc$ echo x", []span{{from: 3, to: lineEnd}}, "abc", false},
		{"Name? bob", []span{{from: 6, to: 9}}, "Name?", false},
		{"日本 x", []span{{from: 0, to: 4}}, " x", false},
		{"abcdef", []span{{from: 4, to: 5}, {from: 0, to: 2}}, "cdf", false},
		{"abcdef", []span{{from: 0, to: 4}, {from: 2, to: 3}}, "ef", false},
		{"", nil, "", false},
		{"", []span{{to: lineEnd}}, "", true},
	} {
		left, gone := strip(tt.text, tt.spans)
		if left != tt.left || gone != tt.gone {
			t.Errorf("strip(%q, %v) = %q, %v; want %q, %v", tt.text, tt.spans, left, gone, tt.left, tt.gone)
		}
	}
}

func TestCutEcho(t *testing.T) {
	for _, tt := range []struct {
		rest, text string
		n          int
		ok         bool
	}{
		{"ls -l", "ls -l", 5, true},
		{"ls", "ls  ", 2, true},
		{"ls   12:30", "ls", 2, true},
		{"^C", "\x03", 2, true},
		{"{ a;}", "{ a; }", 5, true},
		{"other", "ls", 0, false},
		{"", "ls", 0, false},
	} {
		if n, ok := cutEcho(tt.rest, tt.text); n != tt.n || ok != tt.ok {
			t.Errorf("cutEcho(%q, %q) = %d, %v; want %d, %v", tt.rest, tt.text, n, ok, tt.n, tt.ok)
		}
	}
}

func TestScrolled(t *testing.T) {
	const text = "echo a long line that does not fit; echo more of it"
	for line, want := range map[string]bool{
		"line that does not fit; echo more of it      <": true,
		"< line that does not fit; echo more of it":      true,
		"line that does not fit; echo more of it":        false, // output, for all we know
		"more of it <":                         false,
		"something else that is long enough <": false,
	} {
		if got := scrolled(line, text); got != want {
			t.Errorf("scrolled(%q) = %v, want %v", line, got, want)
		}
	}
}

func TestUpTo(t *testing.T) {
	for text, n := range map[string]int{"": 0, "abc": 3, "日本": 4, "a日b": 4, "b日": 3, "é": 1, strings.Repeat("x", 9000): 9000} {
		if got := upTo(text, n+3); got != text+"   " {
			t.Errorf("upTo(%.20q, %d) = %q", text, n+3, got)
		}
	}
}

func TestContinuation(t *testing.T) {
	for text, want := range map[string]bool{
		"> ": true, "... ": true, "...": true, "quote> ": true, "   ...> ": true, "irb(main):002:0* ": true, "   ...: ": true, "foreach? ": true, "why not? ": false, "why?": false,
		"output": false, "": false, "* ": false, "a sentence that is far too long to be a continuation prompt > ": false,
	} {
		if got := continuation(text); got != want {
			t.Errorf("continuation(%q) = %v, want %v", text, got, want)
		}
	}
}
