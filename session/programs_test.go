package session

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
)

func TestPython(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	s, r := launch(t, m, "python3", "-q")
	if r.Reason != detect.Prompt || r.Prompt != ">>> " || r.Output != "" {
		t.Fatalf("start: %+v", r)
	}
	expect(t, say(t, s, "1+1"), detect.Prompt, "2")
	expect(t, say(t, s, "x = 20"), detect.Prompt, "")
	expect(t, say(t, s, "print('a\\n\\nb'); x + 1"), detect.Prompt, "a\n\nb\n21")
	expect(t, say(t, s, "def f(n):\n    return n * 2\n\nf(21)"), detect.Prompt, "42")
	expect(t, say(t, s, "input('Name? ')"), detect.AwaitingInput, "Name? ")
	expect(t, say(t, s, "bob"), detect.Prompt, "'bob'")
	expect(t, say(t, s, "import time; time.sleep(0.7); print('late')"), detect.Prompt, "late")
	expect(t, say(t, s, "print('>>> ', end='', flush=True); time.sleep(0.5); print('done')"), detect.Prompt, ">>> done")
	expect(t, say(t, s, "exit(3)"), detect.Exited, "")
	if code := s.Info().ExitCode; code == nil || *code != 3 {
		t.Errorf("exit code %v, want 3", code)
	}
}

func TestBash(t *testing.T) {
	t.Parallel()
	for _, noMarks := range []bool{false, true} {
		t.Run(fmt.Sprintf("NoMarks=%v", noMarks), func(t *testing.T) {
			t.Parallel()
			m := newManager(t)
			s, r := launchWith(t, m, StartOptions{Command: "bash", Args: []string{"--norc"}, NoMarks: noMarks})
			if r.Reason != detect.Prompt || r.Output != "" || r.Prompt == "" {
				t.Fatalf("start: %+v %+v", r, r.Explain)
			}
			expect(t, say(t, s, "echo hello"), detect.Prompt, "hello")
			expect(t, say(t, s, ""), detect.Prompt, "")
			expect(t, say(t, s, "false"), detect.Prompt, "")
			expect(t, say(t, s, "printf abc"), detect.Prompt, "abc")
			expect(t, say(t, s, "sleep 0.5; echo slept"), detect.Prompt, "slept")
			expect(t, say(t, s, "for i in 1 2 3\ndo echo n$i\ndone"), detect.Prompt, "n1\nn2\nn3")
			expect(t, say(t, s, "echo one\necho two"), detect.Prompt, "one\ntwo")
			long := strings.Repeat("0123456789", 30)
			expect(t, say(t, s, "echo "+long), detect.Prompt, long)
			expect(t, say(t, s, "read -p 'Sure? [Y/n] ' x; echo got $x"), detect.AwaitingInput, "Sure? [Y/n] ")
			expect(t, say(t, s, "y"), detect.Prompt, "got y")
			expect(t, say(t, s, "read -s -p 'Secret: ' x; echo; echo ${#x}"), detect.Password, "Secret: ")
			expect(t, say(t, s, "hunter2"), detect.Prompt, "7")
			r = exchange(t, s, Input{Text: "seq 1 5000", Enter: true}, Wait{Timeout: patience, MaxOutputChars: 1 << 20})
			if want := numbers(1, 5000); r.Output != want || r.Reason != detect.Prompt {
				t.Errorf("seq: reason %s, %d bytes, want %d", r.Reason, len(r.Output), len(want))
			}
			expect(t, say(t, s, "exit 7"), detect.Exited, "exit")
		})
	}
}

// TestSlowStart checks that the prompt ends the wait even if bash's startup file is silent for
// longer than any pause that counts as settled, and if something slow runs before each prompt.
func TestSlowStart(t *testing.T) {
	need.Long(t)
	home := t.TempDir()
	const rc = "printf ' '; sleep 2.5\nPROMPT_COMMAND='sleep 1.2'\n"
	if err := os.WriteFile(filepath.Join(home, ".bashrc"), []byte(rc), 0o644); err != nil {
		t.Fatal(err)
	}
	m := newManager(t)
	s, r := launchWith(t, m, StartOptions{Command: "bash", Env: map[string]string{"HOME": home}})
	if r.Reason != detect.Prompt {
		t.Errorf("reason %s, %+v", r.Reason, r.Explain)
	}
	expect(t, say(t, s, "echo x"), detect.Prompt, "x")
}

// TestOutputAtPrompt checks that what a background job writes while bash waits at its prompt is
// output, although it stands between the prompt and the next line typed.
func TestOutputAtPrompt(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	dir, open := newGate(t)
	s, _ := launchWith(t, m, StartOptions{Command: "bash", Args: []string{"--norc"}, Dir: dir})
	for _, c := range []struct{ word, next, want string }{
		{"first", "echo typed", "first\ntyped"},
		{"second", "", "second"},
	} {
		expect(t, say(t, s, "((read <gate; echo "+c.word+") &)"), detect.Prompt, "")
		other, err := s.AddReader(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		open()
		if r := exchange(t, s, Input{}, Wait{Pattern: regexp.MustCompile(`(?m)` + c.word + `$`), Timeout: patience, Reader: other}); r.Reason != detect.Matched {
			t.Errorf("%s: reason %s, output %q", c.word, r.Reason, r.Output)
		}
		expect(t, say(t, s, c.next), detect.Prompt, c.want)
	}
	r, _, err := s.Read(t.Context(), ReadOptions{FromLine: new(int64)}, Wait{}, nil)
	if err != nil || r.Output != "first\ntyped\nsecond" {
		t.Errorf("the history: %q, %v", r.Output, err)
	}
}

// numbers returns the numbers from a to b, one a line.
func numbers(a, b int) string {
	var lines []string
	for i := a; i <= b; i++ {
		lines = append(lines, fmt.Sprint(i))
	}
	return strings.Join(lines, "\n")
}

func TestLastCommand(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	s, _ := launch(t, m, "bash", "--norc")
	dir := t.TempDir()
	r := say(t, s, "cd "+dir+"; (exit 5)")
	if r.Last == nil || r.Last.ExitCode != 5 || !strings.HasPrefix(r.Last.Text, "cd ") {
		t.Fatalf("last command %+v, want exit code 5", r.Last)
	}
	if r.Cwd == nil || *r.Cwd != dir {
		t.Errorf("cwd %v, want %s", r.Cwd, dir)
	}
	if r.Explain == nil || r.Explain.Layer != detect.LayerMarks {
		t.Errorf("decided by %+v, want the marks", r.Explain)
	}
	// The marks are timed when they are read, which on a busy machine is later than when they were
	// written: the command begins before its output is read, and ends after the gate is opened.
	gates, open := newGate(t)
	line := "echo up; read x < " + gates + "/gate"
	typed := time.Now()
	exchange(t, s, Input{Text: line, Enter: true}, Wait{Pattern: literal("up"), Timeout: patience})
	began := time.Now()
	exchange(t, s, Input{}, Wait{Until: UntilExit, Timeout: 200 * time.Millisecond})
	least := time.Since(began)
	open()
	r = exchange(t, s, Input{}, Wait{Timeout: patience})
	if r.Last == nil || r.Last.Text != line || r.Last.ExitCode != 0 || r.Last.Duration < least || r.Last.Duration > time.Since(typed) {
		t.Errorf("last command %+v, want %q of at least %s", r.Last, line, least)
	}
	if info := s.Info(); info.LastCommand == nil || *info.LastCommand != *r.Last {
		t.Errorf("info has %+v, the reply %+v", info.LastCommand, r.Last)
	}
	say(t, s, "(exit 148)")
	for _, key := range []emulator.Key{{Code: emulator.KeyRune, Rune: 'c', Mods: emulator.Ctrl}, {Code: emulator.KeyEnter}} {
		r = exchange(t, s, Input{Keys: []KeyPress{{Key: key}}}, Wait{Timeout: patience})
		if r.Reason != detect.Prompt || r.Last != nil {
			t.Errorf("%v at an empty prompt: reason %s, last command %+v", key, r.Reason, r.Last)
		}
	}
}

// TestCommandFacts checks what shells report about commands of several lines, and about commands
// longer than the screen is wide, with a prompt at the right margin. It also checks their exact
// output.
func TestCommandFacts(t *testing.T) {
	t.Parallel()
	wide := strings.TrimSpace(strings.Repeat("wide ", 40))
	for _, tt := range []struct {
		argv  []string
		right string // sets a prompt at the right margin
		loop  string
	}{
		{[]string{"bash", "--norc"}, "true", "for i in 1 2\ndo\n  echo n$i\ndone"},
		{[]string{"zsh"}, "RPROMPT='%T right'", "for i in 1 2\ndo\n  echo n$i\ndone"},
		{[]string{"fish"}, "function fish_right_prompt; echo right; end", "for i in 1 2\n  echo n$i\nend"},
	} {
		t.Run(tt.argv[0], func(t *testing.T) {
			t.Parallel()
			s, _ := launch(t, newManager(t), tt.argv[0], tt.argv[1:]...)
			say(t, s, tt.right)
			for _, c := range []struct {
				line, output string
				exit         int
			}{
				{tt.loop, "n1\nn2", 0},
				{"echo " + wide, wide, 0},
				{"sh -c 'exit 7'", "", 7},
				{"printf 'no newline'", "no newline", 0},
				{"echo 'a\nb'", "a\nb", 0},
				{"false", "", 1},
				{"printf 'x\\n\\n\\ny\\n'", "x\n\n\ny", 0},
			} {
				r := say(t, s, c.line)
				expect(t, r, detect.Prompt, c.output)
				if l := r.Last; l == nil || l.ExitCode != c.exit || l.Cwd == "" || !sameWords(l.Text, c.line) {
					t.Errorf("%q: last command %+v, want exit code %d", c.line, l, c.exit)
				}
			}
		})
	}
}

// sameWords reports whether two commands are equal apart from blanks, line ends, and the semicolons
// that stand for line ends in bash's history.
func sameWords(a, b string) bool {
	plain := strings.NewReplacer(";", "", "\n", "", " ", "")
	return plain.Replace(a) == plain.Replace(b)
}

func TestExitDrained(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	_, r := launch(t, m, "sh", "-c", "seq 1 20000; exit 3")
	if r.Reason != detect.Exited || r.ExitCode == nil || *r.ExitCode != 3 || r.Status != StatusExited {
		t.Fatalf("reply: %+v", r)
	}
	if !strings.HasSuffix(r.Output, "19999\n20000") {
		t.Errorf("output ends in %q, want its last line 20000", r.Output[max(0, len(r.Output)-30):])
	}
	_, r = launch(t, m, "sh", "-c", "kill -9 $$")
	if r.ExitCode == nil || *r.ExitCode != 137 {
		t.Errorf("killed: exit code %v, want 137", r.ExitCode)
	}
}

func TestTop(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	s, r := launch(t, m, "top")
	if !r.FullScreen || r.Screen == nil || !strings.Contains(r.Screen.Text(), "PID") {
		t.Fatalf("start: reason %s, fullscreen %v, output %q", r.Reason, r.FullScreen, r.Output)
	}
	if r.Reason != detect.AwaitingInput && r.Reason != detect.Settled {
		t.Errorf("start: reason %s", r.Reason)
	}
	if _, err := s.Resize(30, 100); err != nil {
		t.Fatal(err)
	}
	r = exchange(t, s, Input{}, Wait{Pattern: regexp.MustCompile(`PID`), Timeout: patience, View: ViewScreen})
	if len(r.Screen.Screen) != 30 || len(r.Screen.Screen[0].Cells) != 100 {
		t.Errorf("resized screen is %d×%d", len(r.Screen.Screen), len(r.Screen.Screen[0].Cells))
	}
	r = exchange(t, s, Input{Text: "q"}, Wait{Timeout: patience})
	if r.Reason != detect.Exited {
		t.Errorf("q: reason %s", r.Reason)
	}
}

func TestVim(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	file := t.TempDir() + "/note.txt"
	s, r := launch(t, m, "vim", "-N", "-u", "NONE", "-n", file)
	if r.Reason != detect.AwaitingInput || !r.FullScreen {
		t.Fatalf("start: reason %s, fullscreen %v, %+v", r.Reason, r.FullScreen, r.Explain)
	}
	r = exchange(t, s, Input{Text: "ihello"}, Wait{Timeout: patience, Explain: true})
	if r.Screen == nil || !strings.Contains(r.Screen.Text(), "hello") || !strings.Contains(r.Screen.Text(), "-- INSERT --") {
		t.Errorf("inserting: reason %s, %+v, screen %q", r.Reason, r.Explain, r.Screen.Text())
	}
	esc := KeyPress{Key: emulator.Key{Code: emulator.KeyEscape}}
	r = exchange(t, s, Input{Keys: []KeyPress{esc, {Text: ":wq"}}, Enter: true}, Wait{Timeout: patience})
	if r.Reason != detect.Exited {
		t.Errorf("wq: reason %s", r.Reason)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "hello\n" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

func TestLess(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	need.Program(t, "less")
	s, _ := launchWith(t, m, StartOptions{Command: "bash", Args: []string{"--norc"}})
	r := say(t, s, "seq 1 500 | less")
	if r.Reason != detect.AwaitingInput || !strings.Contains(r.Hint, "pager") {
		t.Errorf("less: reason %s, hint %q, %+v", r.Reason, r.Hint, r.Explain)
	}
	r = exchange(t, s, Input{Text: "q"}, Wait{Timeout: patience, Explain: true})
	expect(t, r, detect.Prompt, "")
}

// TestPromptDrawnAnew checks that the output and the end of a background job are reported as output
// while zsh or fish waits at its prompt, and that the prompt, which both then draw again below with
// a part at the right edge, is not.
func TestPromptDrawnAnew(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ shell, setup string }{
		{"zsh", "typeset +x PS1; PROMPT='%1~ %# ' RPROMPT='[right]'"},
		{"fish", "function fish_right_prompt; echo '[right]'; end"},
	} {
		t.Run(tt.shell, func(t *testing.T) {
			m := newManager(t)
			dir, open := newGate(t)
			s, _ := launchWith(t, m, StartOptions{Command: tt.shell, Dir: dir})
			expect(t, say(t, s, tt.setup), detect.Prompt, "")
			say(t, s, "sh -c 'read line <gate; echo later' &")
			other, err := s.AddReader(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			open()
			if r := exchange(t, s, Input{}, Wait{Pattern: regexp.MustCompile(`(?s)later.*( done|ended)`), Timeout: patience, Reader: other}); r.Reason != detect.Matched {
				t.Errorf("reason %s, output %q", r.Reason, r.Output)
			}
			r, _, err := s.Read(t.Context(), ReadOptions{}, Wait{Timeout: patience, Until: UntilReady, Explain: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Reason != detect.Prompt || !strings.HasPrefix(r.Output, "later\n") || strings.Contains(r.Output, "right") {
				t.Errorf("reason %s, output %q, %+v", r.Reason, r.Output, r.Explain)
			}
			expect(t, say(t, s, "echo typed"), detect.Prompt, "typed")
		})
	}
}
