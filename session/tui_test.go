package session

import (
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
)

// TestFullScreen starts programs that own the screen and presses keys.
func TestFullScreen(t *testing.T) {
	for _, tt := range []struct {
		name    string
		o       StartOptions
		shows   string // after the start
		in      Input
		then    string // after the input
		exactly detect.Reason
	}{
		{"vim", StartOptions{Command: "vim", Args: []string{"-N", "-u", "NONE", "-n"}}, "VIM", Input{Text: "ihello"}, "hello", detect.AwaitingInput},
		{"nvim", StartOptions{Command: "nvim", Args: []string{"-u", "NONE", "-n"}}, "NVIM", Input{Text: "ihello"}, "hello", ""},
		{"nano", StartOptions{Command: "nano"}, "GNU nano", Input{Text: "abc"}, "abc", detect.AwaitingInput},
		{"htop", StartOptions{Command: "htop"}, "PID", Input{Keys: []KeyPress{{Key: emulator.Key{Code: emulator.KeyF1}}}}, "htop", ""},
		{"top", StartOptions{Command: "top", Args: []string{"-d", "0.2"}}, "PID", Input{Text: "h"}, "Help", ""},
		{"dialog", StartOptions{Command: "dialog", Args: []string{"--inputbox", "Sure?", "8", "30"}}, "Sure?", Input{Text: "word"}, "word", detect.AwaitingInput},
		{"fzf", StartOptions{Command: "bash", Args: []string{"-c", "seq 100 | fzf"}}, "100/100", Input{Text: "42"}, "1/100", ""},
		{"tmux", StartOptions{Command: "tmux", Args: []string{"-f", "/dev/null", "new", "bash --norc"}}, "bash", Input{Text: "echo a''b", Enter: true}, "ab", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			need.Program(t, tt.name)
			// A socket of its own for tmux.
			tt.o.Env = map[string]string{"TMUX_TMPDIR": t.TempDir()}
			tt.o.Dir = t.TempDir() // nano saves its text when it is hung up
			s, r := launchWith(t, newManager(t), tt.o)
			if tt.exactly != "" && r.Reason != tt.exactly || r.Reason == detect.Timeout {
				t.Errorf("start: reason %s, %+v", r.Reason, r.Explain)
			}
			if r.Screen == nil || !strings.Contains(r.Screen.Text()+" ", tt.shows) {
				t.Fatalf("start: no %q on the screen: %+v", tt.shows, r)
			}
			r = exchange(t, s, tt.in, Wait{Timeout: patience, Explain: true})
			if tt.exactly != "" && r.Reason != tt.exactly || r.Reason == detect.Timeout {
				t.Errorf("input: reason %s, %+v", r.Reason, r.Explain)
			}
			if r.Screen == nil || !strings.Contains(r.Screen.Text(), tt.then) {
				t.Errorf("input: no %q on the screen: reason %s, %+v", tt.then, r.Reason, r.Explain)
			}
		})
	}
}

// TestPeriodic starts programs that redraw for ever: the wait ends, as a guess.
func TestPeriodic(t *testing.T) {
	for _, tt := range []struct{ name, script string }{
		{"spinner", "while :; do for c in - / '|'; do printf \"\\r$c\"; sleep 0.1; done; done"},
		{"clock", "while :; do printf '\\r%s' \"$(date +%T)\"; sleep 0.5; done"},
		{"busy line", "i=0; while :; do printf '\\r%d' $i; i=$((i+1)); sleep 0.05; done"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			_, r := launch(t, newManager(t), "sh", "-c", tt.script)
			if r.Reason != detect.Settled || time.Since(start) > patience/2 {
				t.Errorf("reason %s after %s, %+v", r.Reason, time.Since(start), r.Explain)
			}
		})
	}
}

// TestVimSleeps waits for vim to come back to its keys.
func TestVimSleeps(t *testing.T) {
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "vim", "-N", "-u", "NONE", "-n")
	r := exchange(t, s, Input{Text: ":sleep 700m | echo 'a'.'b'", Enter: true}, Wait{Timeout: patience, Explain: true})
	if r.Reason != detect.AwaitingInput || r.Screen == nil || !strings.Contains(r.Screen.Text(), "\nab") {
		t.Errorf("reason %s, %+v, screen %q", r.Reason, r.Explain, r.Screen.Text())
	}
}

// TestEditorSleeps has neovim, which polls for keys whatever it does, sleep and
// come back: where in the program it waits tells.
func TestEditorSleeps(t *testing.T) {
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "nvim", "-u", "NONE", "-n")
	learns := func() *Reply {
		return exchange(t, s, Input{Text: ":echo 'x'.'y'", Enter: true}, Wait{Timeout: patience, Explain: true})
	}
	r := learns()
	for n := 0; r.Reason != detect.AwaitingInput; r = learns() {
		if n++; n == 20 {
			t.Fatalf("its main loop is not known after %d commands: %s, %+v", n, r.Reason, r.Explain)
		}
	}
	for n := range 4 {
		r := exchange(t, s, Input{Text: ":sleep 400m | echo 'a'.'b'", Enter: true}, Wait{Timeout: patience, Explain: true})
		// It may come back to another place of its main loop, at first.
		if n == 3 && r.Reason != detect.AwaitingInput || r.Screen == nil || !strings.Contains(r.Screen.Text(), "\nab") {
			t.Errorf("reason %s, %+v, screen %q", r.Reason, r.Explain, r.Screen.Text())
		}
		learns()
	}
}
