package session

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
)

// TestFullScreen checks that programs that own the screen show it at their start, and react to
// keys.
func TestFullScreen(t *testing.T) {
	t.Parallel()
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
			t.Parallel()
			need.Program(t, tt.name)
			// tmux gets a socket of its own.
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

// TestEscape checks that Escape leaves a page, although ncurses waits for the rest of a key after
// it.
func TestEscape(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "htop")
	for range 3 {
		for _, step := range [][2]string{{"f1", "scroll process list"}, {"escape", "F3Search"}} {
			key, shows := step[0], step[1]
			r := exchange(t, s, Input{Keys: keysOf(t, key)}, Wait{Timeout: patience, Explain: true})
			if r.Screen == nil || !strings.Contains(r.Screen.Text(), shows) {
				t.Errorf("%s: reason %s after %s, no %q on the screen: %+v", key, r.Reason, r.Elapsed, shows, r.Explain)
			}
		}
	}
}

// TestPeriodic checks programs that redraw for ever: the wait ends, as a guess, unless they only
// show that they are working.
func TestPeriodic(t *testing.T) {
	need.Long(t)
	for _, tt := range []struct {
		name, script string
		want         detect.Reason
	}{
		{"spinner", "while :; do for c in - / '|'; do printf \"\\r$c\"; sleep 0.1; done; done", detect.Timeout},
		{"spinner with seconds", "i=0; while :; do for c in ⠋ ⠙ ⠹; do printf \"\\r$c Installing ($((i/10)) s)\"; i=$((i+1)); sleep 0.1; done; done", detect.Timeout},
		{"clock", "while :; do printf '\\r%s' \"$(date +%T)\"; sleep 0.5; done", detect.Settled},
		{"busy line", "i=0; while :; do printf '\\r%d' $i; i=$((i+1)); sleep 0.05; done", detect.Timeout},
		{"many lines", "i=0; while :; do printf '\\033[H'; for l in 1 2 3 4 5; do echo $i $l; done; i=$((i+1)); sleep 0.1; done", detect.Settled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := newManager(t).Start(t.Context(), StartOptions{Command: need.Program(t, "sh"), Args: []string{"-c", tt.script}, Size: emulator.Size{Rows: 24, Cols: 80}})
			if err != nil {
				t.Fatal(err)
			}
			limit := 4 * time.Second
			if tt.want == detect.Settled {
				limit = patience
			}
			r := exchange(t, s, Input{}, Wait{Timeout: limit, Explain: true})
			if r.Reason != tt.want {
				t.Errorf("reason %s after %s, want %s; %+v", r.Reason, r.Elapsed, tt.want, r.Explain)
			}
		})
	}
}

// TestVimSleeps checks that the wait lasts until vim reads keys again.
func TestVimSleeps(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "vim", "-N", "-u", "NONE", "-n")
	r := exchange(t, s, Input{Text: ":sleep 700m | echo 'a'.'b'", Enter: true}, Wait{Timeout: patience, Explain: true})
	if r.Reason != detect.AwaitingInput || r.Screen == nil || !strings.Contains(r.Screen.Text(), "\nab") {
		t.Errorf("reason %s, %+v, screen %q", r.Reason, r.Explain, r.Screen.Text())
	}
}

// TestEditorSleeps checks that the wait lasts until neovim has come back from a sleep. neovim polls
// for keys whatever it does: only the place in the program where it waits shows that it sleeps.
func TestEditorSleeps(t *testing.T) {
	need.Long(t)
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "nvim", "-u", "NONE", "-n")
	learns := func() *Reply {
		return exchange(t, s, Input{Text: ":echo 'x'.'y'", Enter: true}, Wait{Timeout: patience, Explain: true})
	}
	r := learns()
	for n := 0; r.Reason != detect.AwaitingInput; r = learns() {
		if n++; n == 20 {
			t.Fatalf("neovim's main loop is not known after %d commands: %s, %+v", n, r.Reason, r.Explain)
		}
	}
	for n := range 4 {
		r := exchange(t, s, Input{Text: ":sleep 400m | echo 'a'.'b'", Enter: true}, Wait{Timeout: patience, Explain: true})
		// At first it may come back to another place of its main loop.
		if n == 3 && r.Reason != detect.AwaitingInput || r.Screen == nil || !strings.Contains(r.Screen.Text(), "\nab") {
			t.Errorf("reason %s, %+v, screen %q", r.Reason, r.Explain, r.Screen.Text())
		}
		learns()
	}
}

// TestCommanderKeys checks that keys that mc takes for itself, although it shows the terminal of a
// shell, are handled without delay, and then a line typed for the shell.
func TestCommanderKeys(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	for _, sh := range []string{"bash", "zsh"} {
		t.Run(sh, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.MkdirAll(dir+"/inner/deep", 0o700); err != nil {
				t.Fatal(err)
			}
			s, _ := launchWith(t, newManager(t), StartOptions{Command: "mc", Dir: dir, Env: map[string]string{"SHELL": need.Program(t, sh)}})
			r := exchange(t, s, Input{Keys: keysOf(t, "up*2", "down*2", "enter")}, Wait{Timeout: patience, Explain: true})
			if r.Screen == nil || !strings.Contains(r.Screen.Text(), "/deep") || r.Elapsed > 2*time.Second {
				t.Errorf("enter: reason %s after %s, %+v", r.Reason, r.Elapsed, r)
			}
			r = exchange(t, s, Input{Text: "cd deep", Enter: true}, Wait{Timeout: patience, Explain: true})
			if r.Elapsed > 2*time.Second {
				t.Errorf("a line: reason %s after %s, %+v", r.Reason, r.Elapsed, r.Explain)
			}
		})
	}
}

// TestCommanderEscapes checks that two Escapes close mc's menu quickly, as a person closes it, and
// that one closes it too. After a single Escape mc, like ncurses, waits a second to see that no
// other key begins with it: a key that came before would be taken for its rest.
func TestCommanderEscapes(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	for _, tt := range []struct {
		keys  []string
		limit time.Duration
	}{
		{[]string{"esc", "esc"}, 500 * time.Millisecond},
		{[]string{"esc"}, 2 * time.Second},
	} {
		t.Run(strings.Join(tt.keys, " "), func(t *testing.T) {
			s, _ := launchWith(t, newManager(t), StartOptions{Command: "mc", Args: []string{"-u"}, Dir: t.TempDir()})
			exchange(t, s, Input{Keys: keysOf(t, "f9")}, Wait{Timeout: patience})
			r := exchange(t, s, Input{Keys: keysOf(t, tt.keys...)}, Wait{Timeout: patience, Explain: true})
			if r.Elapsed > tt.limit {
				t.Errorf("%q: reason %s after %s, %+v", tt.keys, r.Reason, r.Elapsed, r.Explain)
			}
			if r := exchange(t, s, Input{Keys: keysOf(t, "f10")}, Wait{Timeout: patience}); r.Reason != detect.Exited {
				t.Errorf("f10: reason %s after %s", r.Reason, r.Elapsed)
			}
		})
	}
}

// TestPrefixKeys checks that a key after tmux's prefix is handled without delay. tmux keeps the
// prefix for itself although it shows the terminal of a shell.
func TestPrefixKeys(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launchWith(t, newManager(t), StartOptions{
		Command: need.Program(t, "tmux"), Args: []string{"-f", "/dev/null", "new", "-n", "first", "bash --norc"}, Env: map[string]string{"TMUX_TMPDIR": t.TempDir()},
	})
	r := exchange(t, s, Input{Keys: keysOf(t, "ctrl+b", "c")}, Wait{Timeout: patience, Explain: true})
	if r.Screen == nil || !strings.Contains(r.Screen.Text(), "0:first- 1:") || r.Elapsed > 1500*time.Millisecond || len(r.Notes) > 0 {
		t.Errorf("reason %s after %s, notes %q, %+v", r.Reason, r.Elapsed, r.Notes, r.Explain)
	}
}
