package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// TestListAbovePrompt checks that bash's list of completions, or its question whether to show them,
// is output, and that the prompt redrawn below and the typed text are not.
func TestListAbovePrompt(t *testing.T) {
	for _, marks := range []bool{true, false} {
		t.Run(map[bool]string{true: "marks", false: "no marks"}[marks], func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"plum", "plain"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(name+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s, _ := launchWith(t, newManager(t), StartOptions{Command: "bash", Args: []string{"--norc"}, Dir: dir, NoMarks: !marks})
			say(t, s, "bind 'set completion-query-items 3'")
			press := func(in Input, output string) {
				t.Helper()
				if r := exchange(t, s, in, Wait{Timeout: patience}); r.Output != output {
					t.Errorf("%+v: reason %s, output %q, want %q", in, r.Reason, r.Output, output)
				}
			}
			press(Input{Text: "cat pl"}, "")
			press(Input{Keys: keysOf(t, "tab*2")}, "plain  plum")
			r := exchange(t, s, Input{Text: "um", Enter: true}, Wait{Timeout: patience})
			expect(t, r, detect.Prompt, "plum")
			if marks && (r.Last == nil || r.Last.Text != "cat plum") {
				t.Errorf("last command %+v", r.Last)
			}
			press(Input{Text: "cat /usr/l"}, "")
			press(Input{Keys: keysOf(t, "tab*2")}, "Display all 4 possibilities? (y or n)")
			press(Input{Text: "n"}, "")
			press(Input{Text: "i"}, "")
		})
	}
}

// TestRecalledLines has zsh search its history and bring back a command of two lines. It checks
// that all rows that change are output, and that a right prompt is not.
func TestRecalledLines(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "zsh")
	press := func(in Input, output string) {
		t.Helper()
		if r := exchange(t, s, in, Wait{Timeout: patience}); r.Output != output {
			t.Errorf("%+v: reason %s, output %q, want %q", in, r.Reason, r.Output, output)
		}
	}
	expect(t, say(t, s, "for i in 1 2\ndo echo $i; done"), detect.Prompt, "1\n2")
	press(Input{Keys: keysOf(t, "up")}, "for i in 1 2\ndo echo $i; done")
	press(Input{Enter: true}, "1\n2")
	press(Input{Keys: keysOf(t, "ctrl+r")}, "bck-i-search: _")
	press(Input{Keys: keysOf(t, "ctrl+c")}, "")
	expect(t, say(t, s, "RPROMPT='right'"), detect.Prompt, "")
	press(Input{Text: "echo one"}, "")
	press(Input{Text: " two"}, "")
	press(Input{Enter: true}, "one two")
}

// TestWrittenBehindPrompt checks that the reason for which a program of Node ends, which it writes
// after its prompt, is output.
func TestWrittenBehindPrompt(t *testing.T) {
	t.Parallel()
	const program = `const rl = require("node:readline/promises").createInterface({input: process.stdin, output: process.stdout});
(async () => { for (;;) console.log("got " + await rl.question("number> ")) })()`
	need.Program(t, "node")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ask.js"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"node", "bash", "zsh"} {
		t.Run(command, func(t *testing.T) {
			o := StartOptions{Command: command, Dir: dir}
			if command == "node" {
				o.Args = []string{"ask.js"}
			}
			s, _ := launchWith(t, newManager(t), o)
			if command != "node" {
				say(t, s, "node ask.js")
			}
			expect(t, say(t, s, "5"), detect.Prompt, "got 5")
			r := exchange(t, s, Input{Keys: keysOf(t, "ctrl+c")}, Wait{Timeout: patience})
			if !strings.HasPrefix(r.Output, "node:internal/") || !strings.Contains(r.Output, "AbortError") {
				t.Errorf("reason %s, output %q", r.Reason, r.Output)
			}
		})
	}
}

// redrawnAnswers draws the row of each answer again, and continues below.
const redrawnAnswers = `
import os, termios, tty
tty.setraw(0)
def ask(name):
    os.write(1, ("? %s .. " % name).encode())
    text = b""
    while (key := os.read(0, 1)) != b"\r":
        text += key
        os.write(1, key)
    os.write(1, ("\r\x1b[K+ %s == " % name).encode() + text + b"\r\n")
ask("Name"); ask("Size"); ask("Days")
`

// TestAnswerStays checks that a row with an answer is output once, although the program continues
// below.
func TestAnswerStays(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "python3", "-c", redrawnAnswers)
	for _, st := range []struct{ text, output string }{
		{"Ada", "+ Name == Ada\n? Size .. "}, {"12", "+ Size == 12\n? Days .. "}, {"3", "+ Days == 3"},
	} {
		if r := say(t, s, st.text); r.Output != st.output {
			t.Errorf("%q: reason %s, output %q, want %q", st.text, r.Reason, r.Output, st.output)
		}
	}
}
