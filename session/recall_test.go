package session

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// heldBy types input and returns the rule by which it is held, or "" if it is not.
func heldBy(t *testing.T, s *Session, in Input) string {
	t.Helper()
	return heldIn(t, s, in, Wait{Timeout: patience})
}

// heldIn is heldBy with another wait.
func heldIn(t *testing.T, s *Session, in Input, w Wait) string {
	t.Helper()
	_, err := s.Exchange(t.Context(), in, w, nil)
	var held *HeldError
	if err != nil && !errors.As(err, &held) {
		t.Fatalf("%+v: %v", in, err)
	}
	if held == nil {
		return ""
	}
	return held.Findings[0].Rule
}

// TestHistoryExpansion checks that lines that refer to the shell's history are held: what they
// stand for is not known.
func TestHistoryExpansion(t *testing.T) {
	for _, sh := range []StartOptions{{Command: "bash", Args: []string{"--norc"}}, {Command: "zsh", Args: []string{"-f"}}} {
		t.Run(sh.Command, func(t *testing.T) {
			t.Parallel()
			s, _ := launchWith(t, forbidding(t), sh)
			steps := []struct{ line, held string }{
				{"echo a for-bidden", ""},
				{"^-^^", "unreadable"},
				{"^echo ^", "unreadable"},
				{"!!:s/r-b/rb/", "unreadable"},
				{"echo !!:1*", "unreadable"},
				{"echo !$", "unreadable"},
				{"!nothing", "unreadable"},
				{"!-3", "unreadable"},
				{"echo '!!' $!", ""},
				{"for i in a b; do", ""},
				{"echo $i; done", ""},
				{"!!", "unreadable"},
			}
			for _, step := range steps {
				if got := heldBy(t, s, Input{Text: step.line, Enter: true}); got != step.held {
					t.Errorf("%s: held by %q, want %q\n%s", step.line, got, step.held, s.Snapshot(0).Text())
				}
			}
			if _, err := confirm(t, s, "!!", false, Wait{Timeout: patience}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestClippedLine checks that a recalled line of which the shell shows only a part is held: what
// Enter would submit is not known.
func TestClippedLine(t *testing.T) {
	for _, sh := range []struct {
		start StartOptions
		on    string
	}{
		{StartOptions{Command: "bash", Args: []string{"--norc"}}, "bind 'set horizontal-scroll-mode on'"},
		{StartOptions{Command: "zsh", Args: []string{"-f"}}, "setopt single_line_zle"},
		{StartOptions{Command: "ksh"}, "set -o emacs"},
		{StartOptions{Command: "mksh"}, "set -o emacs"},
	} {
		t.Run(sh.start.Command, func(t *testing.T) {
			t.Parallel()
			s, _ := launchWith(t, forbidding(t), sh.start)
			for _, line := range []string{sh.on, "echo " + strings.Repeat("a b ", 40)} {
				if got := heldBy(t, s, Input{Text: line, Enter: true}); got != "" {
					t.Errorf("%s: held by %q", line, got)
				}
			}
			for _, keys := range [][]string{{"up", "enter"}, {"up", "ctrl+a", "enter"}} {
				if got := heldBy(t, s, Input{Keys: keysOf(t, keys...)}); got != "unreadable" {
					t.Errorf("%v: held by %q\n%s", keys, got, s.Snapshot(0).Text())
				}
				exchange(t, s, Input{Keys: keysOf(t, "ctrl+c")}, Wait{Timeout: patience})
			}
			heldBy(t, s, Input{Text: "echo short", Enter: true})
			if got := heldBy(t, s, Input{Keys: keysOf(t, "up", "enter")}); got != "" {
				t.Errorf("a short line: held by %q", got)
			}
		})
	}
}

// TestSearchThenEnter checks keys that find a forbidden line and of which the first Enter only ends
// the search: the second Enter, which would run the line, is held.
func TestSearchThenEnter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		shell []string
		first string
		calls [][]string
	}{
		{[]string{"bash", "--norc"}, "true", [][]string{{"alt+p", "text:echo", "enter", "enter"}}},
		{[]string{"bash", "--norc"}, "true", [][]string{{"alt+p"}, {"text:echo"}, {"enter"}, {"enter"}}},
		{[]string{"bash", "--norc"}, "set -o vi", [][]string{{"escape", "/", "text:forb", "enter"}, {"n", "enter"}}},
		{[]string{"zsh", "-f"}, "bindkey -v", [][]string{{"escape"}, {"/"}, {"text:forb"}, {"enter"}, {"enter"}}},
		{[]string{"python3", "-q"}, "1", [][]string{{"alt+p", "text:forb", "enter"}, {"enter"}}},
	} {
		t.Run(tt.shell[0]+" "+tt.first, func(t *testing.T) {
			t.Parallel()
			s, _ := launchWith(t, forbidding(t), StartOptions{Command: tt.shell[0], Args: tt.shell[1:]})
			if got := heldBy(t, s, Input{Text: "echo 'forbidden'", Enter: true}); got == "" {
				t.Fatal("the line is not held when it is typed")
			}
			if _, err := confirm(t, s, "echo 'forbidden'", false, Wait{Timeout: patience}); err != nil {
				t.Fatal(err)
			}
			exchange(t, s, Input{Text: tt.first, Enter: true}, Wait{Timeout: patience})
			ran := strings.Count(s.Snapshot(-1).Text(), "\nforbidden")
			var held string
			for _, keys := range tt.calls {
				if held = heldBy(t, s, Input{Keys: keysOf(t, keys...)}); held != "" {
					break
				}
			}
			if text := s.Snapshot(-1).Text(); held == "" || strings.Count(text, "\nforbidden") != ran {
				t.Errorf("held by %q:\n%s", held, text)
			}
		})
	}
}

// TestLineLongerThanScreen checks recalled lines that are longer than the screen. If the program
// has written the whole line at once, its beginning is known too, but not after a key has changed
// it there.
func TestLineLongerThanScreen(t *testing.T) {
	for _, sh := range []StartOptions{
		{Command: "bash", Args: []string{"--norc"}}, {Command: "bash", Args: []string{"--norc"}, Name: "no marks", NoMarks: true}, {Command: "python3", Args: []string{"-q"}},
	} {
		t.Run(sh.Command+sh.Name, func(t *testing.T) {
			t.Parallel()
			s, _ := launchWith(t, forbidding(t), sh)
			if _, err := s.Resize(6, 40); err != nil {
				t.Fatal(err)
			}
			long := "#" + strings.Repeat(" a b", 100)
			for _, step := range []struct {
				in   Input
				held string
			}{
				{Input{Text: long, Enter: true}, ""},
				{Input{Keys: keysOf(t, "up", "enter")}, ""},
				{Input{Keys: keysOf(t, "up")}, ""},
				{Input{Text: " c", Enter: true}, ""},
				{Input{Keys: keysOf(t, "up")}, ""},
				{Input{Keys: keysOf(t, "ctrl+a", "alt+d", "enter")}, "unreadable"},
				{Input{Keys: keysOf(t, "ctrl+c")}, ""},
				{Input{Keys: keysOf(t, "up")}, ""},
				{Input{Keys: keysOf(t, "up", "enter")}, "unreadable"},
				{Input{Keys: keysOf(t, "ctrl+c")}, ""},
				{Input{Text: "# forbidden" + long, Enter: true}, "user:word"},
			} {
				if got := heldBy(t, s, step.in); got != step.held {
					t.Errorf("%+v: held by %q, want %q\n%s", step.in, got, step.held, s.Snapshot(0).Text())
				}
			}
			if _, err := confirm(t, s, "# forbidden"+long, false, Wait{Timeout: patience}); err != nil {
				t.Fatal(err)
			}
			if got := heldBy(t, s, Input{Keys: keysOf(t, "up", "enter")}); got != "user:word" {
				t.Errorf("recalled: held by %q", got)
			}
		})
	}
}

// TestNothingRecalled checks that an empty line is not held after keys that had nothing to recall.
func TestNothingRecalled(t *testing.T) {
	for _, sh := range []StartOptions{
		{Command: "bash", Args: []string{"--norc"}}, {Command: "zsh"}, {Command: "fish", Args: []string{"-N"}}, {Command: "python3", Args: []string{"-q"}},
	} {
		t.Run(sh.Command, func(t *testing.T) {
			t.Parallel()
			s, _ := launchWith(t, forbidding(t), sh)
			none := [][]string{{"up", "enter"}, {"down", "enter"}, {"up", "down", "ctrl+p", "enter"}, {"up"}, {"enter"}}
			for _, keys := range append(none, []string{"text:1", "enter"}, []string{"down", "enter"}, []string{"ctrl+n", "down"}, []string{"enter"}) {
				if got := heldBy(t, s, Input{Keys: keysOf(t, keys...)}); got != "" {
					t.Errorf("%v: held by %q", keys, got)
				}
			}
		})
	}
}

// TestSilentKeys checks lines typed after keys that show nothing because they are bound to nothing.
// The echo of the line shows that the screen can be trusted. Enter alone is held.
func TestSilentKeys(t *testing.T) {
	for _, sh := range []StartOptions{
		{Command: "bash", Args: []string{"--norc"}}, {Command: "zsh", Args: []string{"-f"}}, {Command: "python3", Args: []string{"-q"}},
	} {
		t.Run(sh.Command, func(t *testing.T) {
			t.Parallel()
			s, _ := launchWith(t, forbidding(t), sh)
			deaf := map[string]string{"bash": `bind '"\e[A": ""' '"\eOA": ""'`, "zsh": `nothing() {}; zle -N nothing; bindkey '^[[A' nothing; bindkey '^[OA' nothing`,
				"python3": `import readline; readline.parse_and_bind('"\e[A": ""'); readline.parse_and_bind('"\eOA": ""')`}[sh.Command]
			for _, step := range []struct {
				in   Input
				held string
			}{
				{Input{Text: deaf, Enter: true}, ""},
				{Input{Keys: keysOf(t, "up")}, ""},
				{Input{Text: "# a line", Enter: true}, ""},
				{Input{Keys: keysOf(t, "up")}, ""},
				{Input{Text: "# forbidden", Enter: true}, "user:word"},
				{Input{Keys: keysOf(t, "ctrl+c")}, ""},
				{Input{Keys: keysOf(t, "up", "enter")}, "unreadable"},
			} {
				if got := heldBy(t, s, step.in); got != step.held {
					t.Errorf("%+v: held by %q, want %q\n%s", step.in, got, step.held, s.Snapshot(0).Text())
				}
			}
		})
	}
}

// TestMenusRecallNothing checks that keys that choose in menus and forms, whose Enter no line
// editor reads, are not held, however little of them the screen shows.
func TestMenusRecallNothing(t *testing.T) {
	need.Program(t, "python3")
	for name, shows := range map[string]string{
		"hidden cursor":  `\033[?25lPick one:\r\n$ `,
		"full screen":    `\033[?1049h\033[HPick one: > `,
		"no prompt sign": `Pick one: `,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const menu = "import os, sys, tty; tty.setraw(0); os.write(1, sys.argv[1].encode().decode('unicode_escape').encode())\n" +
				"while (b := os.read(0, 9)) != b'q':\n if b.endswith(b'\\r'): os.write(1, b'chosen\\r\\n')"
			s, _ := launchWith(t, forbidding(t), StartOptions{Command: "python3", Args: []string{"-c", menu, shows}})
			exchange(t, s, Input{}, Wait{Pattern: regexp.MustCompile("Pick"), Timeout: patience})
			for _, keys := range [][]string{{"down"}, {"enter"}, {"up", "space"}, {"tab", "enter"}, {"text:abc"}, {"backspace"}, {"enter"}} {
				if got := heldBy(t, s, Input{Keys: keysOf(t, keys...)}); got != "" {
					t.Errorf("%v: held by %q\n%s", keys, got, s.Snapshot(0).Text())
				}
			}
			if got := heldBy(t, s, Input{Keys: keysOf(t, "text:echo forbidden", "enter")}); got != "user:word" {
				t.Errorf("a forbidden line: held by %q", got)
			}
		})
	}
}
