package session

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/state"
)

// read reads with a short timeout.
func read(t *testing.T, s *Session, o ReadOptions, w Wait) (*Reply, []SearchHit) {
	t.Helper()
	if w.Timeout == 0 {
		w.Timeout = MinTimeout
	}
	r, hits, err := s.Read(t.Context(), o, w, nil)
	if err != nil {
		t.Fatalf("Read(%+v): %v", o, err)
	}
	return r, hits
}

func TestReaders(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	one, err := s.AddReader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	expect(t, say(t, s, "echo a"), detect.Prompt, "a")
	expect(t, say(t, s, "echo b"), detect.Prompt, "b")
	r, _ := read(t, s, ReadOptions{}, Wait{Reader: one})
	expect(t, r, detect.Prompt, "a\nb")
	r, _ = read(t, s, ReadOptions{}, Wait{Reader: one})
	if r.Output != "" || r.Reason != detect.Timeout {
		t.Errorf("again: %s, %q", r.Reason, r.Output)
	}
	two, err := s.AddReader(t.Context())
	if err != nil || two == one {
		t.Fatalf("second reader %d, %v", two, err)
	}
	r, _ = read(t, s, ReadOptions{}, Wait{Reader: two})
	expect(t, r, detect.Prompt, "a\nb")
	if err := s.RemoveReader(t.Context(), one); err != nil {
		t.Error(err)
	}
	if _, _, err := s.Read(t.Context(), ReadOptions{}, Wait{Reader: one}, nil); !errors.Is(err, ErrNoReader) {
		t.Errorf("removed reader: %v, want ErrNoReader", err)
	}
	if err := s.RemoveReader(t.Context(), 0); !errors.Is(err, ErrArgument) {
		t.Errorf("reader 0: %v, want ErrArgument", err)
	}
	for range maxReaders {
		if _, err = s.AddReader(t.Context()); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrTooMany) || !strings.Contains(err.Error(), "free one with unregister_reader") {
		t.Errorf("after %d readers: %v, want ErrTooMany with the next step", maxReaders, err)
	}
}

func TestPaging(t *testing.T) {
	s, _ := launch(t, newManager(t), "bash", "--norc")
	r := exchange(t, s, Input{Text: "seq 1 10", Enter: true}, Wait{Timeout: patience, MaxLines: 4})
	if r.Output != "1\n2\n3\n4" || !r.HasMore || r.LinesReturned != 4 {
		t.Errorf("first page: %q, more %v, %d lines", r.Output, r.HasMore, r.LinesReturned)
	}
	r, _ = read(t, s, ReadOptions{}, Wait{MaxLines: 4})
	if r.Output != "5\n6\n7\n8" || !r.HasMore {
		t.Errorf("second page: %q, more %v", r.Output, r.HasMore)
	}
	r, _ = read(t, s, ReadOptions{}, Wait{MaxLines: 4})
	if r.Output != "9\n10" || r.HasMore {
		t.Errorf("last page: %q, more %v", r.Output, r.HasMore)
	}
}

func TestElision(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	r := exchange(t, s, Input{Text: "seq 1 2000", Enter: true}, Wait{Timeout: patience, MaxOutputChars: 500})
	if !strings.HasPrefix(r.Output, "1\n2\n") || !strings.HasSuffix(r.Output, "\n2000") || !r.HasMore || len(r.Output) > 700 {
		t.Fatalf("elided output %q, more %v", r.Output, r.HasMore)
	}
	missing := leftOut(t, s, r)
	whole := strings.Replace(r.Output, missing.mark, missing.text, 1)
	if whole != numbers(1, 2000) {
		t.Errorf("head, missing lines and tail are not the whole output")
	}
	// A prompt, which is not output, is between the lines.
	exchange(t, s, Input{Text: "seq 1 2000", Enter: true}, Wait{Until: UntilNone})
	r = exchange(t, s, Input{Text: "seq 2001 4000", Enter: true}, Wait{Timeout: patience})
	if missing = leftOut(t, s, r); strings.Contains(missing.text, "left out") {
		t.Errorf("%.100q leaves lines out again", missing.mark)
	}
	r = exchange(t, s, Input{Text: "printf '%05000d\\n' 7", Enter: true}, Wait{Timeout: patience, MaxOutputChars: 500})
	if len(r.Output) > 700 || !strings.HasPrefix(r.Output, "000") || !strings.HasSuffix(r.Output, "0007") || !r.HasMore {
		t.Errorf("one long line: %q", r.Output)
	}
	// A line that is longer than its share is shown in part.
	for _, text := range []string{"printf '%05000d\\n' 7; seq 2000 2005", "seq 2000 2005; printf '%05000d' 7"} {
		r = exchange(t, s, Input{Text: text, Enter: true}, Wait{Timeout: patience, MaxOutputChars: 500})
		head, tail, ok := strings.Cut(r.Output, " characters left out; ")
		if !ok || len(head) < 200 || len(tail) < 300 || len(r.Output) > 700 || !r.HasMore {
			t.Errorf("%s: %q", text, r.Output)
		}
	}
}

func TestCompact(t *testing.T) {
	s, _ := launch(t, newManager(t), "bash", "--norc")
	r := exchange(t, s, Input{Text: "for i in $(seq 100); do echo file $i of 100; done; yes same | head -5; echo end", Enter: true}, Wait{Timeout: patience, Compact: true})
	want := "file 1 of 100\n… 98 lines like these …\nfile 100 of 100\nsame\n… 4 more like it …\nend"
	if r.Output != want {
		t.Errorf("compact: %q, want %q", r.Output, want)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	say(t, s, "seq 100 200")
	r, _ := read(t, s, ReadOptions{Tail: 3}, Wait{})
	if r.Output != "198\n199\n200" {
		t.Errorf("tail: %q", r.Output)
	}
	_, hits := read(t, s, ReadOptions{Search: regexp.MustCompile(`^15[05]$`), Context: 1}, Wait{})
	if len(hits) != 2 || strings.Join(hits[0].Text, " ") != "149 150 151" || hits[0].Hits[0] != hits[0].Line+1 {
		t.Fatalf("search: %+v", hits)
	}
	_, hits = read(t, s, ReadOptions{Search: regexp.MustCompile(`^15[01]$`), Context: 1}, Wait{})
	if len(hits) != 1 || strings.Join(hits[0].Text, " ") != "149 150 151 152" || len(hits[0].Hits) != 2 {
		t.Errorf("search of neighbours: %+v", hits)
	}
	far := int64(1000)
	if _, _, err := s.Read(t.Context(), ReadOptions{FromLine: &far}, Wait{}, nil); !errors.Is(err, ErrArgument) {
		t.Errorf("a line beyond the end: %v", err)
	}
	from := hits[0].Line
	r, _ = read(t, s, ReadOptions{FromLine: &from}, Wait{MaxLines: 2})
	if r.Output != "149\n150" {
		t.Errorf("from_line: %q", r.Output)
	}
	if _, _, err := s.Read(t.Context(), ReadOptions{Tail: 1, FromLine: &from}, Wait{}, nil); !errors.Is(err, ErrArgument) {
		t.Errorf("tail with from_line: %v, want ErrArgument", err)
	}
}

func TestRawRead(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	r := exchange(t, s, Input{Text: `printf '\e[31mred\e[0m\xff\n'`, Enter: true}, Wait{Timeout: patience, Raw: true})
	if !strings.Contains(r.Output, "\x1b[31mred\x1b[0m\uFFFD\r\n") || !strings.Contains(r.Output, "printf") {
		t.Errorf("raw: %q", r.Output)
	}
	r = exchange(t, s, Input{Text: "head -c 1500000 /dev/zero | tr '\\0' x", Enter: true}, Wait{Timeout: patience, Raw: true})
	if n := len(r.Output); n < DefaultMaxOutputChars || n > DefaultMaxOutputChars+200 || r.DroppedBytes < 400_000 || !r.HasMore || !strings.Contains(r.Output, "characters left out; read_output from_line=") {
		t.Errorf("raw flood: %d bytes, %d dropped, has more: %v", n, r.DroppedBytes, r.HasMore)
	}
}

// TestRewrittenLine checks reads of a line while it is being drawn.
func TestRewrittenLine(t *testing.T) {
	need.Long(t)
	s, _ := launch(t, newManager(t), "sh", "-c", "stty -echo; printf 'step 1'; read x; printf ', step 2'; read x; printf '\\rall new'; read x")
	r := exchange(t, s, Input{Text: "\n"}, Wait{Pattern: literal("step 2"), Timeout: patience})
	if r.Output != ", step 2" {
		t.Errorf("the rest of the line: %q", r.Output)
	}
	r = exchange(t, s, Input{Text: "\n"}, Wait{Pattern: literal("all new"), Timeout: patience})
	if !strings.HasPrefix(r.Output, "all new") {
		t.Errorf("the rewritten line: %q", r.Output)
	}
}

func TestViews(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	enter := func(line string, v View) *Reply {
		return exchange(t, s, Input{Text: line, Enter: true}, Wait{Timeout: patience, View: v})
	}
	r := enter("echo a", ViewScreen)
	if r.HasOutput || r.Screen == nil || !strings.Contains(r.Screen.Text(), "\na\n") {
		t.Errorf("screen: %+v", r)
	}
	r = enter("echo b", ViewBoth)
	if r.Output != "b" || r.Screen == nil { // the previous screen showed the a
		t.Errorf("both: output %q", r.Output)
	}
	r = enter("echo c", ViewDiff)
	var rows []string
	for _, d := range r.Diff {
		rows = append(rows, d.Text)
	}
	if got := strings.Join(rows, "|"); r.HasOutput || got != "$ echo c|c|$" {
		t.Errorf("diff: %q", got)
	}
	r = exchange(t, s, Input{Text: "seq 10", Enter: true}, Wait{Timeout: patience, View: ViewDiff, MaxOutputChars: 16})
	if len(r.Diff) != 4 || r.Diff[3].Text != "3" || !r.HasMore || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "8 more rows have changed; snapshot since=") {
		t.Errorf("diff of 16 characters: %+v, more %v, notes %q", r.Diff, r.HasMore, r.Notes)
	}
	r = enter("printf '\\e]2;title\\a\\a\\e]9;note\\a'", ViewOutput)
	if r.Title == nil || *r.Title != "title" || len(r.Events) != 2 || r.Events[0].Kind != emulator.EventBell || r.Events[1].Text != "note" {
		t.Errorf("title %v, events %+v", r.Title, r.Events)
	}
	if r = enter(":", ViewOutput); r.Title != nil || len(r.Events) != 0 {
		t.Errorf("reported again: title %v, events %+v", r.Title, r.Events)
	}
}

func TestNumberedLimit(t *testing.T) {
	var l state.Numbered[emulator.Event]
	for range 3 * state.MaxNumbered {
		l.Add(emulator.Event{})
	}
	if e, next := l.Since(0); len(e) != state.MaxNumbered || next != 3*state.MaxNumbered {
		t.Errorf("%d events kept, next is %d", len(e), next)
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	exchange(t, s, Input{Text: "sleep 1000", Enter: true}, Wait{Until: UntilNone})
	inForeground(t, s, "sleep")
	r := exchange(t, s, Input{}, Wait{Timeout: MinTimeout})
	if r.Reason != detect.Timeout || !strings.HasPrefix(r.Hint, "still running sleep") {
		t.Errorf("running: reason %s, hint %q", r.Reason, r.Hint)
	}
	exchange(t, s, Input{Keys: []KeyPress{ctrl('c')}}, Wait{Timeout: patience})
	r = exchange(t, s, Input{Text: "echo half"}, Wait{Timeout: patience})
	if !strings.Contains(r.Hint, "not submitted") || r.Reason != detect.AwaitingInput || r.Output != "" {
		t.Errorf("half a line: reason %s, hint %q, output %q", r.Reason, r.Hint, r.Output)
	}
	r = exchange(t, s, Input{Text: " a line", Enter: true}, Wait{Timeout: patience})
	expect(t, r, detect.Prompt, "half a line")
}

// TestNoHintInRawMode checks that text which a program reads key by key does not count as not
// submitted.
func TestNoHintInRawMode(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	m := newManager(t)
	for _, c := range []struct{ program, script string }{
		{"python3", "import os, tty; tty.setraw(0); print('up', end='\\r\\n', flush=True)\nwhile True: print(os.read(0, 9), end=' ', flush=True)"},
		{"bash", "echo up; while read -rn1 key; do echo \"got $key\"; done"},
	} {
		s, _ := launchWith(t, m, StartOptions{Command: need.Program(t, c.program), Args: []string{"-c", c.script}})
		exchange(t, s, Input{}, Wait{Pattern: regexp.MustCompile("up"), Timeout: patience})
		for _, text := range []string{"xy", "z"} {
			r := exchange(t, s, Input{Text: text}, Wait{Timeout: patience})
			if strings.Contains(r.Hint, "not submitted") || r.Output == "" {
				t.Errorf("%s: reason %s, hint %q, output %q", c.program, r.Reason, r.Hint, r.Output)
			}
		}
	}
}
