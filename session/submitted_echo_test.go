package session

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// TestPatternOnSubmittedLine checks that the echo of a submitted line that contains the awaited
// word does not match. The line prints the word only after a gate is opened.
func TestPatternOnSubmittedLine(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	long := func(n int) string { return strings.Repeat("x", n) + " FOO-42 " + strings.Repeat("y", n) }
	for _, tt := range []struct {
		name    string
		command []string
		before  string // what comes before the command that waits at the gate
		prints  string
		search  string // of the shell's history, which finds the line
	}{
		{"bash", []string{"bash", "--norc"}, "", long(700), ""},
		{"bash search", []string{"bash", "--norc"}, "", "FOO-42 short", "echo FOO"},
		{"zsh", []string{"zsh"}, "", long(120), ""},
		{"zsh search", []string{"zsh"}, "", "FOO-42 short", "echo FOO"},
		{"zsh without marks", []string{"zsh", "-f"}, "", long(120), ""},
		{"fish", []string{"fish", "-N"}, "", long(66), ""},
		{"fish of many rows", []string{"fish", "-N"}, "", long(700), ""},
		{"tmux", []string{"tmux", "-f", "/dev/null", "new", "bash --norc"}, "", "FOO-42", ""},
		{"tmux, wrapped", []string{"tmux", "-f", "/dev/null", "new", "bash --norc"}, "", long(120), ""},
		{"vim", []string{"vim", "-u", "NONE", "-N", "-n"}, ":!", "FOO-42", ""},
		{"less", []string{"less", "page"}, "!", "FOO-42", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			need.Program(t, tt.command[0])
			dir, _ := newGate(t)
			gate, err := os.OpenFile(filepath.Join(dir, "gate"), os.O_RDWR, 0) // so that it can be opened in advance
			if err != nil {
				t.Fatal(err)
			}
			defer gate.Close()
			open := func() {
				if _, err := gate.WriteString("\n"); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "page"), []byte("page\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			s, _ := launchWith(t, newManager(t), StartOptions{
				Command: tt.command[0], Args: tt.command[1:], Dir: dir, Env: map[string]string{"TMUX_TMPDIR": dir, "SHELL": "/bin/sh"},
			})
			in := Input{Text: tt.before + "read x <gate; echo " + tt.prints, Enter: true}
			if tt.search != "" {
				open()
				exchange(t, s, in, Wait{Timeout: patience})
				in = Input{Keys: keysOf(t, "ctrl+r", "text:"+tt.search, "enter")}
			}
			word := regexp.MustCompile("FO+-42")
			if r := exchange(t, s, in, Wait{Pattern: word, Timeout: time.Second}); r.Reason != detect.Timeout {
				t.Fatalf("the gate is closed: reason %s, output %q", r.Reason, r.Output)
			}
			// After a search, the word is on the screen already.
			if r := exchange(t, s, Input{}, Wait{Pattern: word, IgnoreEcho: true, Timeout: time.Second}); tt.search == "" && r.Reason != detect.Timeout {
				t.Fatalf("the gate is closed, expect: reason %s, output %q", r.Reason, r.Output)
			}
			open()
			if r := exchange(t, s, Input{}, Wait{Pattern: word, IgnoreEcho: true, Timeout: patience}); r.Reason != detect.Matched {
				t.Errorf("the gate is open, expect: reason %s, screen %q", r.Reason, s.Snapshot(0).Text())
			}
			say(t, s, "") // vim and less show their file again
			open()
			if r := exchange(t, s, in, Wait{Pattern: word, Timeout: patience}); r.Reason != detect.Matched {
				t.Errorf("the gate is open: reason %s, screen %q", r.Reason, s.Snapshot(0).Text())
			}
		})
	}
}
