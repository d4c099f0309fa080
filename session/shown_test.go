package session

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"

	"github.com/glasstty/glasstty/session/text"
)

// TestDiff checks that changed rows are shown with their numbers, and blank ones in one line, and
// that the screen is shown instead if it is shorter.
func TestDiff(t *testing.T) {
	s, _ := launch(t, newManager(t), "sh", "-c", `stty -echo
printf '\033[?1049h\033[H'; for i in 1 2 3 4 5 6 7 8 9; do echo "row $i has some text"; done; read x
printf '\033[3Hchanged\033[K\033[5H\033[K\n\033[K\033[8H\033[K'; read x
printf '\033[2J\033[Hall new'; read x`)
	r := exchange(t, s, Input{Text: "\n"}, Wait{Timeout: patience, View: ViewDiff, Pattern: regexp.MustCompile("changed")})
	if got, want := text.Diff(r.Diff), "2: changed\nblank now: 4-5, 7"; got != want || r.Screen != nil {
		t.Errorf("diff: %q, want %q", got, want)
	}
	r = exchange(t, s, Input{Text: "\n"}, Wait{Timeout: patience, View: ViewDiff, Pattern: regexp.MustCompile("all new")})
	if r.Screen == nil || r.Shown != "all new" || r.Diff != nil {
		t.Errorf("the screen is shorter: %q, diff %q", r.Shown, text.Diff(r.Diff))
	}
}

// TestSeenOnScreen checks that output does not repeat what a reader has seen as a screen or as
// changed rows.
func TestSeenOnScreen(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	for i, view := range []View{ViewScreen, ViewDiff, ViewBoth} {
		n := strconv.Itoa(i)
		exchange(t, s, Input{Text: "echo seen " + n, Enter: true}, Wait{Timeout: patience, View: view})
		expect(t, say(t, s, "echo new "+n), "prompt", "new "+n)
	}
	// A program that owned the screen in between leaves nothing behind.
	need.Program(t, "less")
	exchange(t, s, Input{Text: "seq 5 | less -K", Enter: true}, Wait{Timeout: patience, View: ViewScreen})
	r := exchange(t, s, Input{Text: "q"}, Wait{Timeout: patience, View: ViewOutput})
	if r.Output != "" {
		t.Errorf("after less: %q", r.Output)
	}
}

// TestLastLines checks that max_lines returns the last lines of a program whose exit was awaited.
func TestLastLines(t *testing.T) {
	s, _ := launch(t, newManager(t), "sh", "-c", "read x; seq 50")
	r := exchange(t, s, Input{Enter: true}, Wait{Timeout: patience, Until: UntilExit, MaxLines: 3})
	if want := "… 47 lines left out; read_output from_line=1 max_lines=47 gets them …\n48\n49\n50"; r.Output != want || !r.HasMore {
		t.Errorf("%q, want %q", r.Output, want)
	}
	from := int64(1)
	r, _, err := s.Read(t.Context(), ReadOptions{FromLine: &from}, Wait{MaxLines: 47}, nil)
	if err != nil || !strings.HasPrefix(r.Output, "1\n2\n") || !strings.HasSuffix(r.Output, "\n47") {
		t.Errorf("the other lines: %v, %q", err, r.Output)
	}

	s, _ = launch(t, newManager(t), "sh", "-c", "read x; seq 3000")
	r = exchange(t, s, Input{Enter: true}, Wait{Timeout: patience, Until: UntilExit, MaxLines: 3})
	if missing := leftOut(t, s, r); missing.text != numbers(1, 2997) {
		t.Errorf("of many lines, %.100q gets %d characters", missing.mark, len(missing.text))
	}
}

// TestPages checks that the from_line of each reply leads to the next page, up to the end.
func TestPages(t *testing.T) {
	s, r := launch(t, newManager(t), "sh", "-c", "seq 3000")
	next := regexp.MustCompile(`\n… \d+ lines left out; read_output from_line=(\d+) max_lines=\d+(?: max_output_chars=\d+)? gets them …$`)
	if n := len(r.Output); n > DefaultMaxOutputChars+200 {
		t.Errorf("%d characters", n)
	}
	var all strings.Builder
	for from := int64(0); ; {
		r, _, err := s.Read(t.Context(), ReadOptions{FromLine: &from}, Wait{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := next.FindStringSubmatch(r.Output)
		if from == 0 {
			if rest := leftOut(t, s, r); !strings.HasSuffix(rest.text, "\n3000") || strings.Contains(rest.text, "left out") {
				t.Errorf("%.100q gets %d characters", rest.mark, len(rest.text))
			}
		}
		all.WriteString(next.ReplaceAllString(r.Output, "") + "\n")
		if m == nil {
			break
		}
		if from, err = strconv.ParseInt(m[1], 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	if want := numbers(1, 3000) + "\n"; all.String() != want {
		t.Errorf("%d characters, want %d", all.Len(), len(want))
	}
}

// TestPasswordHint checks that the hint about secrets is long only once.
func TestPasswordHint(t *testing.T) {
	s, r := launch(t, newManager(t), "sh", "-c", "stty -echo; printf 'Password: '; read x; printf 'Again: '; read x")
	if !strings.Contains(r.Hint, "kept out of output and logs") {
		t.Errorf("at first: %q", r.Hint)
	}
	if r = say(t, s, "one"); r.Reason != "password" || r.Hint != "typed text stays secret" {
		t.Errorf("then: %s, %q", r.Reason, r.Hint)
	}
}

// TestPartOfScreen checks that rows that a reply with a part of the screen has not shown stay
// unread.
func TestPartOfScreen(t *testing.T) {
	s, _ := launch(t, newManager(t), "bash", "--norc")
	exchange(t, s, Input{Text: "seq 3 12", Enter: true}, Wait{Timeout: patience, View: ViewScreen, MaxLines: 2})
	if r, _ := read(t, s, ReadOptions{}, Wait{}); !strings.HasPrefix(r.Output, "3\n4\n5\n") {
		t.Errorf("unread after a part: %q", r.Output)
	}
	exchange(t, s, Input{Text: "seq 3 12", Enter: true}, Wait{Timeout: patience, View: ViewScreen})
	if r, _ := read(t, s, ReadOptions{}, Wait{Until: UntilNone}); r.Output != "" {
		t.Errorf("unread after all of it: %q", r.Output)
	}
}
