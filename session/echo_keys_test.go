package session

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
)

// press returns input that presses the named keys.
func press(t *testing.T, names ...string) Input {
	t.Helper()
	var in Input
	for _, name := range names {
		k, n, err := emulator.ParseKey(name)
		if err != nil {
			t.Fatal(err)
		}
		in.Keys = append(in.Keys, KeyPress{Key: k, Repeat: n})
	}
	return in
}

// TestEchoOfEditedLine checks that what the line editor shows while a line is typed and edited at a
// prompt is not output.
func TestEchoOfEditedLine(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	for _, names := range [][]string{{"a"}, {"ctrl+u"}, {"a"}, {"b", "left"}, {"c"}, {"ctrl+k"}, {"ctrl+u"}} {
		r := exchange(t, s, press(t, names...), Wait{Timeout: patience})
		if r.Output != "" || strings.Contains(r.Hint, "press_enter") {
			t.Errorf("after %v: output %q, hint %q", names, r.Output, r.Hint)
		}
	}
	expect(t, say(t, s, "echo on"), detect.Prompt, "on")
	exchange(t, s, Input{Text: "cat", Enter: true}, Wait{Timeout: patience})
	exchange(t, s, press(t, "ctrl+d"), Wait{Timeout: patience})
	r := exchange(t, s, press(t, "e", "c", "h", "o", "space", "h", "i"), Wait{Timeout: patience})
	if r.Output != "" {
		t.Errorf("typed after cat: output %q", r.Output)
	}
	expect(t, exchange(t, s, press(t, "enter"), Wait{Timeout: patience}), detect.Prompt, "hi")
}

// TestSecretInside checks that a password typed to a program on a terminal inside the session's is
// recognized without words that ask for one, and is not recorded.
func TestSecretInside(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, r := launch(t, newManager(t), "script", "-qc", "sh -c 'stty -echo; printf \"Code: \"; read x; stty echo; echo; echo ok; read y'", "/dev/null")
	if r.Reason != detect.Password {
		r = exchange(t, s, Input{}, Wait{Timeout: patience, Explain: true})
	}
	if r.Reason != detect.Password {
		t.Fatalf("reason %s, %+v", r.Reason, r.Explain)
	}
	r = say(t, s, "hunter2zq")
	if !strings.HasSuffix(r.Output, "ok") {
		t.Errorf("reason %s, output %q, %+v", r.Reason, r.Output, r.Explain)
	}
	var rec strings.Builder
	if err := writeRecording(s, &rec); err != nil || strings.Contains(rec.String(), "hunter2zq") {
		t.Errorf("the recording holds the secret (%v): %s", err, rec.String())
	}
}

// TestLineInside checks a line and a password that are typed to programs in line mode on a terminal
// inside the session's: no call waits for a read of a line that has no end yet.
func TestLineInside(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	for _, line := range []string{"printf Name:; read x; echo; echo got", "stty -echo; printf Password:; read x; stty echo; echo; echo got"} {
		s, _ := launch(t, newManager(t), "script", "-qc", "sh -c '"+line+"; read y'", "/dev/null")
		r := say(t, s, "a line")
		if !strings.HasSuffix(r.Output, "got") || slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "read nothing") }) {
			t.Errorf("%s: reason %s, output %q, notes %q", line, r.Reason, r.Output, r.Notes)
		}
	}
}

// TestInterruptLeftFlags checks that ctrl+c interrupts a program in line mode after the flags of
// the kitty keyboard protocol, or modifyOtherKeys, were left set.
func TestInterruptLeftFlags(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	for _, left := range []string{`\e[>1u`, `\e[>31u`, `\e[>4;2m`} {
		s, _ := launch(t, newManager(t), "bash", "--norc", "-c", "printf '"+left+"'; trap 'echo got it; exit' INT; printf ready; cat")
		exchange(t, s, Input{}, Wait{Pattern: regexp.MustCompile("ready"), Timeout: patience})
		r := exchange(t, s, press(t, "ctrl+c"), Wait{Until: UntilExit, Timeout: 20 * time.Second})
		if r.Reason != detect.Exited || !strings.HasSuffix(r.Output, "got it") {
			t.Errorf("after %s: reason %s, output %q", left, r.Reason, r.Output)
		}
	}
}

// TestNoSecretAsked checks that a command that switches echo off and sleeps is not taken to ask for
// a password.
func TestNoSecretAsked(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "bash", "--norc")
	expect(t, say(t, s, "stty -echo; sleep 0.8; echo DO''NE; stty echo"), detect.Prompt, "DONE")
}

// TestMarksShownAgain checks that a command that prints the prompt's marks, as a hostile or a
// curious one may, and goes on does not end the wait.
func TestMarksShownAgain(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "bash", "--norc")
	for _, work := range []string{"sleep 0.8", "timeout 0.8 sh -c 'while :; do :; done'"} {
		r := say(t, s, `echo "${PS1@P}"; `+work+`; echo DO''NE`)
		if r.Reason != detect.Prompt || !strings.HasSuffix(r.Output, "DONE") {
			t.Errorf("%s: reason %s, output %q, %+v", work, r.Reason, r.Output, r.Explain)
		}
	}
}

// TestKeyEvents checks that releases and repeats are sent if a program has asked for them (kitty
// keyboard protocol, flag 2), and that releases are not sent before.
func TestKeyEvents(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "sh", "-c",
		`stty raw -echo; printf 'ready\r\n'; dd bs=1 count=2 2>/dev/null | cat -v; printf '\033[>3u\r\nasked\r\n'; `+
			`dd bs=1 count=21 2>/dev/null | cat -v; printf '\r\nend'; sleep 60`)
	exchange(t, s, Input{}, Wait{Pattern: literal("ready"), Timeout: patience})
	exchange(t, s, press(t, "w:release", "w", "w:repeat"), Wait{Pattern: literal("asked"), Timeout: patience})
	exchange(t, s, press(t, "a:press", "a:repeat", "a:release", "b"), Wait{Pattern: literal("end"), Timeout: patience})
	if got := s.Snapshot(0).Text(); !strings.Contains(got, "\nww\n") || !strings.Contains(got, "aa^[[97;1:3ub^[[98;1:3u\nend") {
		t.Errorf("the program got %q", got)
	}
}

// TestEchoInMenusRow checks that the echo of a line is not output if the prompt has replaced a row
// of a menu.
func TestEchoInMenusRow(t *testing.T) {
	t.Parallel()
	need.Program(t, "fzf")
	s, _ := launch(t, newManager(t), "zsh", "-f")
	say(t, s, "seq 100 | fzf --height 40% --layout=reverse")
	exchange(t, s, Input{Text: "42"}, Wait{Timeout: patience, Pattern: regexp.MustCompile("1/100")})
	r := exchange(t, s, press(t, "esc"), Wait{Timeout: patience})
	if expect(t, r, detect.Prompt, ""); r.Prompt != "$ " {
		t.Errorf("prompt %q", r.Prompt)
	}
	expect(t, say(t, s, "echo rc $?"), detect.Prompt, "rc 130")
}
