package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestShellBehind checks that a forbidden line is held if it is sent right after the keys or the
// line that end a program, in the same call or in the next one: the shell behind the program would
// run it.
func TestShellBehind(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	for _, tt := range []struct{ program, keys string }{
		{"less /etc/services", "q"}, {"vim -u NONE -N", ":q\r"}, {"cat", "\x04"}, {"cat", "\x03"}, {"cat", "\x1a"},
		{"sqlite3", ".quit\r"}, {"python3 -q", "exit()\r"}, {"top", "q"}, {"gdb -q", "quit\r"}, {"head -n 1", "x\r"},
	} {
		t.Run(tt.program, func(t *testing.T) {
			for _, once := range []bool{true, false} {
				s, _ := launchWith(t, forbidding(t), StartOptions{Command: need.Program(t, "bash"), Args: []string{"--norc"}, Env: map[string]string{"PS1": "# "}})
				exchange(t, s, Input{Text: tt.program, Enter: true}, Wait{Timeout: patience})
				var held string
				if once {
					held = heldBy(t, s, Input{Text: tt.keys + "echo forbidden", Enter: true, NoPaste: true})
				} else {
					exchange(t, s, Input{Text: tt.keys}, Wait{Until: UntilNone})
					held = heldBy(t, s, Input{Text: "echo forbidden", Enter: true})
				}
				if held == "" {
					t.Errorf("in one call %v: not held:\n%s", once, s.Snapshot(-1).Text())
				}
			}
		})
	}
	s, _ := launch(t, forbidding(t), need.Program(t, "bash"), "--norc")
	exchange(t, s, Input{Text: "cat > /dev/null", Enter: true}, Wait{Until: UntilNone})
	inForeground(t, s, "cat")
	if held := heldBy(t, s, Input{Text: "quite\necho forbidden", Enter: true}); held != "" {
		t.Errorf("text for a program that stays in the foreground: held by %q", held)
	}
}

// TestTypedForEditor checks that a line that only an editor would run is held if it is typed right
// after the line that starts the editor, in the same call or in the next one.
func TestTypedForEditor(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	need.Program(t, "vim")
	for _, shell := range []StartOptions{
		{Command: "bash", Args: []string{"--norc"}}, {Command: "zsh", Args: []string{"-f"}}, {Command: "fish", Args: []string{"-N"}},
	} {
		t.Run(shell.Command, func(t *testing.T) {
			t.Parallel()
			for _, once := range []bool{true, false} {
				for _, lines := range [][2]string{{"sleep 0.2; vim -u NONE -N", ":!forbidden"}, {"vim -u NONE -N f", ":r !forbidden"}} {
					s, _ := launchWith(t, forbiddingCommand(t), shell)
					var held string
					if once {
						held = heldBy(t, s, Input{Text: lines[0] + "\n" + lines[1], Enter: true, NoPaste: true})
					} else {
						exchange(t, s, Input{Text: lines[0], Enter: true}, Wait{Until: UntilNone})
						held = heldBy(t, s, Input{Text: lines[1], Enter: true})
					}
					if held == "" {
						t.Errorf("%s in one call %v: not held:\n%s", lines, once, s.Snapshot(-1).Text())
					}
				}
			}
			s, _ := launchWith(t, forbiddingCommand(t), shell)
			exchange(t, s, Input{Text: "cat", Enter: true}, Wait{Until: UntilNone})
			if held := heldBy(t, s, Input{Text: ":!forbidden", Enter: true}); held != "" {
				t.Errorf("a line for a program that runs none: held by %q", held)
			}
		})
	}
}

// TestTypedBehind checks that the echo of a line that is typed right after another one was
// submitted is not output. While the program runs the first line, its terminal may echo the second,
// and the program's line editor may repeat it.
func TestTypedBehind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		command      []string
		first, again string
	}{
		{[]string{"zsh", "-f"}, "sleep 0.3; echo AA", "echo BB"},
		{[]string{"bash", "--norc"}, "sleep 0.3; echo AA", "echo BB"},
		{[]string{"fish", "-N"}, "sleep 0.3; echo AA", "echo BB"},
		{[]string{"python3", "-q"}, "import time; time.sleep(.3); print('A'+'A')", "print('B'+'B')"},
		{[]string{"ipython3", "--no-banner", "--colors=NoColor"}, "!sleep 0.3; echo AA", "!echo BB"},
		{[]string{"gdb", "-q"}, "shell sleep 0.3; echo AA", "shell echo BB"},
		{[]string{"sqlite3"}, ".shell sleep 0.3; echo AA", ".shell echo BB"},
		{[]string{"node"}, "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,300); console.log('A'+'A')", "console.log('B'+'B')"},
	} {
		t.Run(tt.command[0], func(t *testing.T) {
			t.Parallel()
			s, _ := launch(t, newManager(t), need.Program(t, tt.command[0]), tt.command[1:]...)
			var wrong []string
			for range 5 {
				if _, err := s.Type(t.Context(), Input{Text: tt.first, Enter: true}); err != nil {
					t.Fatal(err)
				}
				r := say(t, s, tt.again)
				if got := strings.Fields(strings.ReplaceAll(r.Output, "undefined", "")); !slices.Equal(got, []string{"AA", "BB"}) {
					wrong = append(wrong, r.Output)
				}
			}
			// A program may change the terminal's modes between the last look at them and the write.
			if len(wrong) > 1 {
				t.Errorf("%d of 5 outputs: %q", len(wrong), wrong)
			}
		})
	}
}
