package session

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/input"
)

// TestStashedLine checks that a line that was put away in zsh, and comes back after the next line,
// is held when Enter submits it, although it was not typed there.
func TestStashedLine(t *testing.T) {
	t.Parallel()
	s, _ := launchWith(t, forbidding(t), StartOptions{Command: "zsh", Args: []string{"-f"}})
	for _, in := range []Input{{Text: "echo forbid"}, {Keys: keysOf(t, "alt+q")}, {Text: "echo x", Enter: true}} {
		if got := heldBy(t, s, in); got != "" {
			t.Errorf("%+v: held by %q", in, got)
		}
	}
	if got := heldBy(t, s, Input{Text: "den", Enter: true}); got == "" {
		t.Errorf("the line that came back is not held:\n%s", s.Snapshot(0).Text())
	}
	if text := s.Snapshot(-1).Text(); strings.Contains(text, "\nforbidden") {
		t.Errorf("the line was run:\n%s", text)
	}
}

// TestKeysThatSubmit checks that a forbidden line is held before keys other than Enter submit it.
func TestKeysThatSubmit(t *testing.T) {
	t.Parallel()
	vi := Input{Text: "set -o vi", Enter: true}
	for _, tt := range []struct {
		name  string
		shell []string
		first Input
		keys  []string
	}{
		{"put away", []string{"zsh", "-f"}, Input{}, []string{"alt+q"}},
		{"put away by two keys", []string{"zsh", "-f"}, Input{}, []string{"escape", "q"}},
		{"accepted and kept", []string{"zsh", "-f"}, Input{}, []string{"alt+a"}},
		{"handed to an editor", []string{"bash", "--norc"}, Input{}, []string{"ctrl+x", "ctrl+e"}},
		{"handed to an editor by characters", []string{"bash", "--norc"}, Input{}, []string{"text:\x18\x05"}},
		{"handed to an editor in vi mode", []string{"bash", "--norc"}, vi, []string{"escape", "v"}},
		{"after a search in vi mode", []string{"bash", "--norc"}, vi, []string{"escape", "0", "f", "i", "v"}},
		{"its comment sign taken away", []string{"bash", "--norc"}, Input{}, []string{"ctrl+a", "#", "alt+1", "alt+#"}},
		{"its comment sign taken away in zsh", []string{"zsh", "-f"}, Input{Text: "bindkey -v", Enter: true}, []string{"escape", "0", "i", "#", "escape", "#"}},
		{"handed over by the terminal", []string{"dash", "-i"}, Input{}, []string{"ctrl+d", "ctrl+d"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, _ := launchWith(t, forbidding(t), StartOptions{Command: tt.shell[0], Args: tt.shell[1:], Env: map[string]string{"EDITOR": "true", "VISUAL": "true"}})
			if tt.first.Enter {
				heldBy(t, s, tt.first)
			}
			if got := heldBy(t, s, Input{Text: "echo forbidden"}); got != "" {
				t.Fatalf("held by %q before it is submitted", got)
			}
			if got := heldBy(t, s, Input{Keys: keysOf(t, tt.keys...)}); got == "" {
				t.Errorf("not held:\n%s", s.Snapshot(0).Text())
			}
			if text := s.Snapshot(-1).Text(); strings.Contains(text, "\nforbidden") {
				t.Errorf("the line was run:\n%s", text)
			}
		})
	}
}

// TestKeysThatEdit checks that keys that edit a forbidden line, search or complete are not held.
func TestKeysThatEdit(t *testing.T) {
	t.Parallel()
	shells := [][]string{{"bash", "--norc"}, {"zsh", "-f"}, {"fish"}}
	for _, shell := range shells[:need.Few(t, 1, len(shells))] {
		t.Run(shell[0], func(t *testing.T) {
			t.Parallel()
			s, _ := launchWith(t, forbidding(t), StartOptions{Command: shell[0], Args: shell[1:]})
			for _, keys := range []string{"tab", "left right", "home end", "ctrl+r ctrl+g", "ctrl+w", "alt+b alt+f", "alt+d", "alt+backspace", "up down", "f5", "ctrl+l", "ctrl+left", "ctrl+y", "escape", "ctrl+u"} {
				heldIn(t, s, Input{Text: "echo forbidden"}, Wait{Until: UntilQuiet, Timeout: patience})
				if got := heldIn(t, s, Input{Keys: keysOf(t, strings.Fields(keys)...)}, Wait{Until: UntilQuiet, Timeout: patience}); got != "" {
					t.Errorf("%s: held by %q", keys, got)
				}
				exchange(t, s, Input{Keys: keysOf(t, "ctrl+c")}, Wait{Timeout: patience})
			}
		})
	}
}

// TestPipedShell checks that a line is held if the program that reads it passes it to a shell.
func TestPipedShell(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("what else runs in a job is known on Linux only")
	}
	s, _ := launch(t, forbidding(t), "bash", "--norc")
	fifo := filepath.Join(t.TempDir(), "fifo")
	for _, tt := range []struct {
		line string
		held bool
	}{
		{"cat | { echo r''eady >&2; exec wc -l; }", false},
		{"cat | { echo r''eady >&2; exec sh; }", true},
		{"cat | { echo r''eady >&2; exec python3 -; }", true},
		{"mkfifo " + fifo + "; { echo r''eady; exec sh; } < " + fifo + " & cat > " + fifo, true},
		{"coproc { echo r''eady >&2; exec sh; }; cat >&${COPROC[1]}", true},
	} {
		if got := heldBy(t, s, Input{Text: "clear", Enter: true}); got != "" {
			t.Fatalf("clear: held by %q", got)
		}
		if got := heldBy(t, s, Input{Text: tt.line, Enter: true}); got != "" {
			t.Fatalf("%s: held by %q:\n%s", tt.line, got, s.Snapshot(-1).Text())
		}
		exchange(t, s, Input{}, Wait{Pattern: literal("ready"), Timeout: patience}) // the other end reads by now
		inForeground(t, s, "cat")
		if got := heldBy(t, s, Input{Text: "echo forbidden", Enter: true}); (got != "") != tt.held {
			t.Errorf("%s: held by %q", tt.line, got)
		}
		exchange(t, s, Input{Keys: keysOf(t, "ctrl+c")}, Wait{Timeout: patience})
	}
}

// TestRepeatedLine checks that zsh's commands that run earlier lines again, r and fc, are held.
func TestRepeatedLine(t *testing.T) {
	t.Parallel()
	s, _ := launchWith(t, forbidding(t), StartOptions{Command: "zsh", Args: []string{"-f"}})
	for line, want := range map[string]string{"r": "unreadable", "true; r echo": "unreadable", "fc": "unreadable", "fc -1": "unreadable", "fc -l": "", "echo r": ""} {
		if got := heldBy(t, s, Input{Text: line, Enter: true}); got != want {
			t.Errorf("%s: held by %q", line, got)
		}
		exchange(t, s, Input{Keys: keysOf(t, "ctrl+c")}, Wait{Timeout: patience})
	}
}

// TestKeyWithoutCode checks that nothing of an input is typed if it has a key without a code, even
// after a key whose effect only the screen shows.
func TestKeyWithoutCode(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, forbidding(t), "bash", "--norc")
	before := s.Info().BytesIn
	_, err := s.Exchange(t.Context(), Input{Keys: keysOf(t, "shift+f5", "text:q", "super+a")}, Wait{Timeout: patience}, nil)
	if !errors.Is(err, input.ErrNoCode) || s.Info().BytesIn != before {
		t.Errorf("error %v, %d bytes typed", err, s.Info().BytesIn-before)
	}
}
