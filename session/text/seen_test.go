package text

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

// A look is what a reader finds at one moment.
type look struct {
	screen []string // the lines of the rows that show text
	out    []string
	erased bool // the whole screen was erased since the previous look
}

// A watcher is a reader of a terminal.
type watcher struct {
	term *emulator.Terminal
	seen Seen
}

// lines returns the terminal's lines from a number on.
func (w *watcher) lines(from int64) []Line {
	cursor, onText := w.term.CursorPosition()
	end := w.term.EndLine()
	var lines []Line
	for _, l := range w.term.Lines(from, end) {
		x := Line{
			Number: l.Number, ID: l.ID, Text: l.Text, Erased: l.Erased,
			Last: l.Number == end-1, Cursor: onText && l.Number == cursor.Line, Style: l.StyleHash,
		}
		if x.Cursor {
			x.Shown = l.Text
		}
		if open := w.seen.Open; open != "" && StartsWith(l.Text, open) {
			x.Grown, x.Added = true, l.Text[min(len(l.Text), len(open)):]
		}
		lines = append(lines, x)
	}
	return lines
}

func (w *watcher) look() look {
	lines := w.lines(w.seen.Line)
	var l look
	for _, x := range w.seen.Unseen(lines) {
		l.out = append(l.out, x.Text)
	}
	for _, x := range lines {
		l.erased = l.erased || x.Erased
	}
	w.seen.MarkSeen(lines, math.MaxInt64, w.term.FirstScreenLine())
	for _, x := range w.lines(w.term.FirstScreenLine()) {
		if x.Text != "" {
			l.screen = append(l.screen, x.Text)
		}
	}
	return l
}

// check checks a look against the previous one: new text on the screen is in the reply, and nothing
// comes twice.
func check(before, now look) error {
	was := map[string]bool{}
	for _, s := range before.screen {
		was[s] = true
	}
	all := strings.Join(now.out, "\n")
	for _, s := range now.screen {
		if was[s] || strings.Contains(all, s) {
			continue
		}
		grown := false
		for _, o := range before.screen {
			grown = grown || strings.HasPrefix(s, o) && strings.Contains(all, strings.TrimLeft(s[len(o):], " "))
		}
		if !grown {
			return fmt.Errorf("the screen shows %q, which was in no reply; the reply is %q", s, now.out)
		}
	}
	if strings.Join(before.screen, "\n") == strings.Join(now.screen, "\n") && !now.erased {
		for _, o := range now.out {
			if was[o] && o != "" {
				return fmt.Errorf("%q came twice, and the screen did not change", o)
			}
		}
	}
	return nil
}

// watch feeds a terminal in pieces, looks at random moments, and checks each look.
func watch(t *testing.T, r *rand.Rand, size emulator.Size, next func() []byte, log *strings.Builder) {
	t.Helper()
	w := &watcher{term: emulator.New(emulator.Options{Size: size})}
	before := w.look()
	for p := next(); p != nil; p = next() {
		w.term.Write(p)
		if log != nil {
			fmt.Fprintf(log, "%q\n", p)
		}
		if r.IntN(3) > 0 {
			continue
		}
		now := w.look()
		if log != nil {
			fmt.Fprintf(log, "look: %q\n", now.out)
		}
		if err := check(before, now); err != nil {
			t.Fatalf("%v\nbefore: %q\nnow: %q\n%s", err, before.screen, now.screen, log)
		}
		if again := w.look(); len(again.out) > 0 {
			t.Fatalf("nothing was written since, but the reply is %q\n%s", again.out, log)
		}
		before = now
	}
}

// TestRandomStreams checks looks at random moments at the output of random programs.
func TestRandomStreams(t *testing.T) {
	seed := rand.Uint64()
	if s := os.Getenv("GLASSTTY_SEED"); s != "" {
		fmt.Sscan(s, &seed)
	}
	t.Logf("GLASSTTY_SEED=%d", seed)
	for i := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, i))
		words, left := 0, 40
		var log strings.Builder
		watch(t, r, emulator.Size{Rows: 2 + r.IntN(8), Cols: 10 + r.IntN(20)}, func() []byte {
			if left--; left < 0 {
				return nil
			}
			words++
			n := 1 + r.IntN(4)
			switch r.IntN(16) {
			case 0, 1, 2, 3:
				return fmt.Appendf(nil, "w%d\r\n", words)
			case 4:
				return fmt.Appendf(nil, "w%d", words)
			case 5: // all its rows are different from all others
				return fmt.Appendf(nil, "%s\r\n", strings.Repeat(fmt.Sprintf("w%d ", words), 10))
			case 6:
				return fmt.Appendf(nil, "\rw%d\x1b[K", words)
			case 7, 8:
				return fmt.Appendf(nil, "\x1b[%dA\r\x1b[2Kw%d\x1b[%dB\r", n, words, n)
			case 9:
				return fmt.Appendf(nil, "\x1b[%dA\r\x1b[J", n)
			case 10:
				return fmt.Appendf(nil, "\x1b[%dL", n)
			case 11:
				return fmt.Appendf(nil, "\x1b[%dM", n)
			case 12:
				return fmt.Appendf(nil, "\x1b[%d;1Hw%d", n, words)
			case 13:
				return fmt.Appendf(nil, "\x1b[%dS", n)
			case 14:
				return fmt.Appendf(nil, "\x1b7\x1b[2;4r\x1b[4;1H\r\nw%d\x1b[r\x1b8", words)
			default:
				return []byte("\x1b[H\x1b[2J")
			}
		}, &log)
		if t.Failed() {
			return
		}
	}
}

// TestRecordedStreams checks the same with the output of recorded programs.
func TestRecordedStreams(t *testing.T) {
	files, err := filepath.Glob("../../emulator/testdata/replay/*/session.cast.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			data := output(t, file)
			r := rand.New(rand.NewPCG(1, uint64(len(data))))
			watch(t, r, emulator.Size{Rows: 24, Cols: 80}, func() []byte {
				if len(data) == 0 {
					return nil
				}
				n := min(1+r.IntN(300), len(data))
				p := data[:n]
				data = data[n:]
				return p
			}, nil)
		})
	}
}

// output returns the output of a recorded program.
func output(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var data []byte
	dec := json.NewDecoder(z)
	for {
		var e any
		if err := dec.Decode(&e); err == io.EOF {
			return data
		} else if err != nil {
			t.Fatal(err)
		}
		if a, ok := e.([]any); ok && len(a) == 3 && a[1] == "o" {
			data = append(data, a[2].(string)...)
		}
	}
}

// lines returns lines with the given texts.
func lines(texts ...string) []Line {
	var out []Line
	for i, s := range texts {
		out = append(out, Line{Number: int64(i), ID: uint64(i + 1), Text: s, Last: i == len(texts)-1})
	}
	return out
}

func TestUnseen(t *testing.T) {
	for _, tt := range []struct {
		name      string
		was, now  []Line
		want      string
		wantAfter string // at a second look
	}{
		{"new lines", lines("a", ""), lines("a", "b", "c", ""), "b|c", ""},
		{"an empty line between", lines("a", ""), lines("a", "", "b", ""), "|b", ""},
		{"rewritten", lines("10%", ""), lines("20%", ""), "20%", ""},
		{"the same words", lines("> one", "  two"), lines("> one", "  two"), "", ""},
		{"a menu moved", lines("> one", "  two", ""), lines("  one", "> two", ""), "  one|> two", ""},
		{"a menu erased", lines("? pick", "> one", "  two"), lines("two", ""), "two", ""},
		{"a row became blank between others", lines("a", "b", "c"), lines("x", "", "z"), "x||z", ""},
		{"a row became blank", lines("a", "b", "c"), lines("a", "", "c"), "", ""},
	} {
		var s Seen
		s.MarkSeen(tt.was, math.MaxInt64, 0)
		var out []string
		for _, l := range s.Unseen(tt.now) {
			out = append(out, l.Text)
		}
		if got := strings.Join(out, "|"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		s.MarkSeen(tt.now, math.MaxInt64, 0)
		if again := s.Unseen(tt.now); len(again) > 0 {
			t.Errorf("%s: again %v", tt.name, again)
		}
	}
}

// TestMovedDown checks that only the new lines are returned if a program prints them above a menu
// that it draws again.
func TestMovedDown(t *testing.T) {
	w := &watcher{term: emulator.New(emulator.Options{})}
	menu := "? pick\r\n> one\r\n  two\r\n"
	w.term.Write([]byte("$ run\r\n" + menu))
	w.look()
	w.term.Write([]byte("\x1b[3A\x1b[Jfetched a\r\nfetched b\r\n" + menu))
	if got := strings.Join(w.look().out, "|"); got != "fetched a|fetched b" {
		t.Errorf("%q", got)
	}
	w.term.Write([]byte("\x1b[H\x1b[2Jnow\r\n" + menu)) // everything after a clear is new
	if got := strings.Join(w.look().out, "|"); got != "now|? pick|> one|  two" {
		t.Errorf("after a clear: %q", got)
	}
}

// TestPages checks that each line is returned once if one line is read at a time.
func TestPages(t *testing.T) {
	w := &watcher{term: emulator.New(emulator.Options{Size: emulator.Size{Rows: 3, Cols: 20}})}
	w.term.Write([]byte("1\r\n2\r\n3\r\n4\r\n5\r\n"))
	var got []string
	for range 10 {
		all := w.lines(w.seen.Line)
		out := w.seen.Unseen(all)
		if len(out) == 0 {
			break
		}
		got = append(got, out[0].Text)
		to := int64(math.MaxInt64)
		if len(out) > 1 {
			to = out[1].Number
		}
		w.seen.MarkSeen(all, to, w.term.FirstScreenLine())
	}
	if s := strings.Join(got, "|"); s != "1|2|3|4|5" {
		t.Errorf("%q", s)
	}
}

// TestScreenSeen checks that a reader that has seen the screen gets only the lines above it.
func TestScreenSeen(t *testing.T) {
	w := &watcher{term: emulator.New(emulator.Options{Size: emulator.Size{Rows: 3, Cols: 20}})}
	w.term.Write([]byte("1\r\n2\r\n3\r\n4\r\n5"))
	w.seen.MarkScreenSeen(w.lines(w.seen.Line), w.term.FirstScreenLine())
	if got := strings.Join(w.look().out, "|"); got != "1|2" {
		t.Errorf("%q", got)
	}
}
