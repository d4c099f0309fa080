package session

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

// press returns the input of pressing the keys named.
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

// TestEchoOfEditedLine types at a prompt, edits, and types on: what the line
// editor shows is no output.
func TestEchoOfEditedLine(t *testing.T) {
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

// TestSecretInside types a password to a program on a terminal inside the
// session's, without words that ask for one.
func TestSecretInside(t *testing.T) {
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
	if err := s.WriteRecording(&rec); err != nil || strings.Contains(rec.String(), "hunter2zq") {
		t.Errorf("the recording holds the secret (%v): %s", err, rec.String())
	}
}

// TestAskedAnew checks that text which wakes nobody in line mode, before which
// no look is taken, is not a secret because an earlier one was.
func TestAskedAnew(t *testing.T) {
	w := view{asked: true, written: true}
	w.input([]byte("text"), ttyState{known: true, canonical: true, echo: true})
	if w.asked {
		t.Error("an earlier look says that a password is asked for")
	}
}

// TestNoSecretAsked switches echo off and goes to sleep: nobody asks for a
// password.
func TestNoSecretAsked(t *testing.T) {
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "bash", "--norc")
	expect(t, say(t, s, "stty -echo; sleep 0.8; echo DO''NE; stty echo"), detect.Prompt, "DONE")
}

// TestMarksShownAgain has a child show the prompt's marks, as a hostile or a
// curious one may, and go on.
func TestMarksShownAgain(t *testing.T) {
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "bash", "--norc")
	for _, work := range []string{"sleep 0.8", "timeout 0.8 sh -c 'while :; do :; done'"} {
		r := say(t, s, `echo "${PS1@P}"; `+work+`; echo DO''NE`)
		if r.Reason != detect.Prompt || !strings.HasSuffix(r.Output, "DONE") {
			t.Errorf("%s: reason %s, output %q, %+v", work, r.Reason, r.Output, r.Explain)
		}
	}
}
