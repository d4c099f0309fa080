package session

import (
	"regexp"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
)

// TestRunningHint checks that a hint names the command with its arguments, as it
// was typed or as the process tells it, and since when it runs.
func TestRunningHint(t *testing.T) {
	linuxOnly(t)
	m := newManager(t)
	s, _ := launch(t, m, "bash", "--norc")
	late := Wait{Timeout: MinTimeout}
	is := func(hint, command, next string) bool {
		return regexp.MustCompile(`^still running ` + regexp.QuoteMeta(command) + ` \(\d+(\.\d+)? s\); ` + next).MatchString(hint)
	}
	for _, c := range []struct{ text, want string }{
		{"sleep 100 && echo $((1+1))", "sleep 100 && echo $((1+1))"},
		{"while sleep 100; do\n:\ndone", "while sleep 100; do :; done"},
		{"sleep " + strings.Repeat("0", 70) + "100", "sleep " + strings.Repeat("0", 54) + "…"},
	} {
		exchange(t, s, Input{Text: c.text, Enter: true}, Wait{Until: UntilNone})
		inFront(t, s, "sleep")
		r := exchange(t, s, Input{}, late)
		if r.Reason != detect.Timeout || !is(r.Hint, c.want, "wait_for goes on waiting, send_keys ctrl\\+c interrupts$") {
			t.Errorf("%q: reason %s, hint %q", c.text, r.Reason, r.Hint)
		}
		if r = exchange(t, s, Input{Text: "ahead"}, late); !is(r.Hint, c.want, "the text waits in its input") {
			t.Errorf("%q, typed ahead: hint %q", c.text, r.Hint)
		}
		if r = exchange(t, s, Input{Text: "\x03"}, Wait{Timeout: patience}); r.Reason != detect.Prompt {
			t.Fatalf("%q, interrupted: reason %s", c.text, r.Reason)
		}
	}
	s, _ = launchWith(t, m, StartOptions{Command: "bash", Args: []string{"--norc"}, NoMarks: true})
	exchange(t, s, Input{Text: "sleep 100 | cat", Enter: true}, Wait{Until: UntilNone})
	inFront(t, s, "sleep", "cat")
	if r := exchange(t, s, Input{}, late); !is(r.Hint, "sleep 100", "") && !is(r.Hint, "cat", "") {
		t.Errorf("without marks: hint %q", r.Hint)
	}
}

// TestOneLine checks how a command looks in a hint.
func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "name",
		" \n\x1b ":              "name",
		"make \x1b[31m -j 4\n":  "make [31m -j 4",
		"a\xffb":                "a\uFFFDb",
		strings.Repeat("界", 31): strings.Repeat("界", 30) + "…",
	} {
		if got := oneLine(in, "name"); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", in, got, want)
		}
	}
}
