package session

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/guard"
)

// forbidding returns a Manager whose danger check also holds lines with the word forbidden. With
// it, tests can type harmless lines into real shells.
func forbidding(t *testing.T) *Manager {
	t.Helper()
	checker, err := danger.New(strings.NewReader("deny word /forbidden/ names what is forbidden"))
	if err != nil {
		t.Fatal(err)
	}
	return managerOf(t, Options{Danger: checker})
}

// keysOf parses the names of keys. A name that begins with "text:" is text.
func keysOf(t *testing.T, names ...string) []KeyPress {
	t.Helper()
	var out []KeyPress
	for _, n := range names {
		if text, ok := strings.CutPrefix(n, "text:"); ok {
			out = append(out, KeyPress{Text: text})
			continue
		}
		k, repeat, err := emulator.ParseKey(n)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, KeyPress{Key: k, Repeat: repeat})
	}
	return out
}

// A way is one way to enter a line in a program.
type way struct {
	name  string
	steps func(k func(...string) []KeyPress) []Input // the last one must be held
	line  string                                     // the line that the error names
	typed bool
}

// ways lists the ways to enter a line that the check must see, for shells with a history. The line
// is echo forbidden, in some of them with the word in pieces.
func ways() []way {
	type keys = func(...string) []KeyPress
	one := func(in ...Input) func(keys) []Input { return func(keys) []Input { return in } }
	return []way{
		{name: "typed", steps: one(Input{Text: "echo forbidden", Enter: true}), line: "echo forbidden"},
		{name: "text with enter", steps: one(Input{Text: "echo forbidden\n"}), line: "echo forbidden"},
		{name: "in pieces", steps: one(Input{Text: "echo for"}, Input{Text: "bid"}, Input{Text: "den", Enter: true}), line: "echo forbidden"},
		{name: "by keys", steps: func(k keys) []Input {
			return []Input{{Keys: k("e", "c", "h", "o", "space")}, {Keys: k("text:forb", "i", "d", "d", "e", "n", "enter")}}
		}, line: "echo forbidden"},
		{name: "pasted", steps: one(Input{Text: "echo forbidden", Paste: true, Enter: true}), line: "echo forbidden"},
		{name: "pasted, then enter", steps: one(Input{Text: "echo forbidden", Paste: true}, Input{Enter: true}), line: "echo forbidden"},
		{name: "second line of a text", steps: one(Input{Text: "echo a\necho forbidden\necho b\n"}), line: "echo a\necho forbidden\necho b"},
		{name: "corrected", steps: func(k keys) []Input {
			return []Input{{Text: "echo forbiddxx"}, {Keys: k("backspace*2", "text:en", "enter")}}
		}, line: "echo forbidden"},
		{name: "in the middle", steps: func(k keys) []Input {
			return []Input{{Text: "echo forden"}, {Keys: k("left*3", "text:bid", "enter")}}
		}, line: "echo forbidden"},
		{name: "from home", steps: func(k keys) []Input {
			return []Input{{Text: "forbidden"}, {Keys: k("ctrl+a", "text:echo ", "ctrl+e", "enter")}}
		}, line: "echo forbidden"},
		{name: "recalled", steps: func(k keys) []Input {
			return []Input{{Keys: k("up")}, {Enter: true}}
		}, line: "echo forbidden"},
		{name: "recalled at once", steps: func(k keys) []Input {
			return []Input{{Keys: k("up", "enter")}}
		}, line: "echo forbidden", typed: true},
		{name: "recalled and changed", steps: func(k keys) []Input {
			return []Input{{Keys: k("up")}, {Text: " x", Enter: true}}
		}, line: "echo forbidden x"},
		{name: "searched", steps: func(k keys) []Input {
			return []Input{{Keys: k("ctrl+r", "text:forb")}, {Keys: k("enter")}}
		}, line: "echo forbidden"},
		{name: "searched at once", steps: func(k keys) []Input {
			return []Input{{Keys: k("ctrl+r", "text:forbid", "enter")}}
		}, line: "echo forbidden", typed: true},
		{name: "control characters", steps: one(Input{Text: "\x10\r"}), line: "echo forbidden", typed: true},
	}
}

// confirm types held input and waits for the reply.
func confirm(t *testing.T, s *Session, text string, person bool, w Wait) (*Reply, error) {
	t.Helper()
	in, err := s.Confirm(text, person)
	if err != nil {
		return nil, err
	}
	return in.Exchange(t.Context(), w, nil)
}

// TestHeldLines checks that a forbidden line is held and not run, in whichever way it is entered in
// a shell.
func TestHeldLines(t *testing.T) {
	for _, sh := range []StartOptions{
		{Command: "bash", Args: []string{"--norc"}},
		{Command: "bash", Args: []string{"--norc", "-i"}, Name: "unmarked", NoMarks: true},
		{Command: "zsh", Args: []string{"-f"}},
		{Command: "fish"},
	} {
		t.Run(sh.Command+sh.Name, func(t *testing.T) {
			t.Parallel()
			m := forbidding(t)
			s, _ := launchWith(t, m, sh)
			history(t, s)
			all := ways()
			if sh.Command == "fish" { // fish settles slowly; the last ways recall a line
				all = all[len(all)-need.Few(t, 6, len(all)):]
			}
			for _, w := range all {
				before := s.Snapshot(-1).Text()
				tryWay(t, s, w)
				if after := s.Snapshot(-1).Text(); strings.Count(after, "\nforbidden") != strings.Count(before, "\nforbidden") {
					t.Errorf("%s: the line was run:\n%s", w.name, after)
				}
				clearLine(t, s)
			}
		})
	}
}

// clearLine presses ctrl+c until the line is empty. fish may miss SIGINT while it draws.
func clearLine(t *testing.T, s *Session) {
	t.Helper()
	for range 10 {
		exchange(t, s, Input{Keys: keysOf(t, "ctrl+c")}, Wait{Timeout: patience})
		text := strings.TrimRight(s.Snapshot(0).Text(), " \n")
		if !strings.Contains(text[strings.LastIndexByte(text, '\n')+1:], "forbidden") {
			return
		}
	}
	t.Fatalf("the line is not empty:\n%s", s.Snapshot(0).Text())
}

// TestHeldLate checks that Enter after a recalled line is held even if the shell, which gets no
// processor time, has not recalled the line yet.
func TestHeldLate(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, forbidding(t), "bash", "--norc")
	history(t, s)
	shell, err := os.FindProcess(s.Info().PID)
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range ways() {
		if !way.typed {
			continue
		}
		if err := shell.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(lineLimit/8, func() {
			if err := shell.Signal(syscall.SIGCONT); err != nil {
				t.Error(err)
			}
		})
		tryWay(t, s, way)
		late.Stop()
		_ = shell.Signal(syscall.SIGCONT)
		exchange(t, s, Input{Keys: keysOf(t, "ctrl+c")}, Wait{Timeout: patience})
	}
}

// history makes echo forbidden the last line of the shell's history.
func history(t *testing.T, s *Session) {
	t.Helper()
	w := Wait{Timeout: patience}
	if _, err := s.Exchange(t.Context(), Input{Text: "echo forbidden", Enter: true}, w, nil); !errors.As(err, new(*HeldError)) {
		t.Fatal(err)
	}
	r, err := confirm(t, s, "echo forbidden", false, w)
	if err != nil || !strings.Contains(r.Output, "forbidden") {
		t.Fatalf("%+v, %v", r, err)
	}
}

// tryWay enters a line in one way and checks that its last step is held.
func tryWay(t *testing.T, s *Session, w way) {
	t.Helper()
	steps := w.steps(func(names ...string) []KeyPress { return keysOf(t, names...) })
	for i, in := range steps {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		_, err := s.Exchange(ctx, in, Wait{Timeout: patience, Until: UntilQuiet}, nil)
		cancel()
		var held *HeldError
		switch {
		case i < len(steps)-1 && err != nil:
			t.Errorf("%s: step %d: %v", w.name, i, err)
		case i < len(steps)-1:
		case !errors.As(err, &held):
			t.Errorf("%s: not held: %v\n%s", w.name, err, s.Snapshot(0).Text())
		case held.Line != w.line || held.Typed != w.typed || held.Findings[0].Rule != "user:word":
			t.Errorf("%s: held %+v, want line %q, typed %v", w.name, held, w.line, w.typed)
		}
	}
}

// TestConfirm checks that exactly the held input is typed when it is confirmed, and only once.
func TestConfirm(t *testing.T) {
	t.Parallel()
	m := forbidding(t)
	s, _ := launch(t, m, "bash", "--norc")
	w := Wait{Timeout: patience}
	hold := func(in Input) *HeldError {
		t.Helper()
		var held *HeldError
		if _, err := s.Exchange(t.Context(), in, w, nil); !errors.As(err, &held) {
			t.Fatalf("%+v: %v", in, err)
		}
		return held
	}
	held := hold(Input{Text: "echo forbidden", Enter: true})
	if held.Input != "echo forbidden" || len(s.Held()) != 1 {
		t.Errorf("%+v", held)
	}
	if _, err := confirm(t, s, "echo other", false, w); !errors.Is(err, ErrNotConfirmed) || !strings.Contains(err.Error(), `the held input is "echo forbidden", not "echo other"`) {
		t.Errorf("another input: %v", err)
	}
	r, err := confirm(t, s, held.Input, false, w)
	if err != nil || r.Output != "forbidden" {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := confirm(t, s, held.Input, false, w); !errors.Is(err, ErrNotConfirmed) {
		t.Errorf("a second time: %v", err)
	}
	// Held keys are sent unchanged.
	held = hold(Input{Keys: keysOf(t, "text:echo forbiddenn", "backspace", "enter")})
	if r, err = confirm(t, s, held.Line, false, w); err != nil || r.Output != "forbidden" {
		t.Errorf("keys: %+v, %v", r, err)
	}
	// A harmless line in between does not matter.
	held = hold(Input{Text: "echo forbidden", Enter: true})
	say(t, s, "echo between")
	if r, err = confirm(t, s, held.Input, false, w); err != nil || r.Output != "forbidden" {
		t.Errorf("after another line: %+v, %v", r, err)
	}
	// A change of directory does: the line would mean something else.
	held = hold(Input{Text: "echo forbidden", Enter: true})
	say(t, s, "cd /")
	if _, err = confirm(t, s, held.Input, false, w); !errors.Is(err, ErrNotConfirmed) {
		t.Errorf("in another directory: %v", err)
	}
	// The line has changed since: the line that was confirmed is not the line that would run.
	exchange(t, s, Input{Text: "echo a "}, Wait{Until: UntilNone})
	held = hold(Input{Text: "forbidden", Enter: true})
	if held.Line != "echo a forbidden" || held.Input != "forbidden" {
		t.Errorf("%+v", held)
	}
	exchange(t, s, Input{Text: "b "}, Wait{Until: UntilNone})
	if _, err = confirm(t, s, "forbidden", false, w); !errors.Is(err, ErrNotConfirmed) || len(s.Held()) > 0 {
		t.Errorf("a changed line: %v", err)
	}
	exchange(t, s, Input{Keys: keysOf(t, "ctrl+c")}, w)
	// At most guard.MaxHeld inputs are kept.
	for range guard.MaxHeld + 3 {
		hold(Input{Text: "echo forbidden " + strings.Repeat("x", len(s.Held())), Enter: true})
	}
	if n := len(s.Held()); n > guard.MaxHeld {
		t.Errorf("%d inputs are held", n)
	}
}

// TestConfirmBehind checks that a line cannot be confirmed while an earlier command runs that
// changes the directory in which the line would run.
func TestConfirmBehind(t *testing.T) {
	t.Parallel()
	dir, open := newGate(t)
	s, _ := launchWith(t, forbidding(t), StartOptions{Command: "bash", Args: []string{"--norc"}, Dir: dir})
	if held := heldBy(t, s, Input{Text: "echo forbidden", Enter: true}); held == "" {
		t.Fatal("not held")
	}
	exchange(t, s, Input{Text: "read x <gate; cd /", Enter: true}, Wait{Until: UntilNone})
	if _, err := confirm(t, s, "echo forbidden", false, Wait{Timeout: patience}); !errors.Is(err, ErrNotConfirmed) {
		t.Errorf("confirm: error %v, want ErrNotConfirmed", err)
	}
	open()
	if r := say(t, s, "pwd"); r.Output != "/" {
		t.Errorf("afterwards: %q", r.Output)
	}
}

// TestLineBehindDirectory checks that a line is held if it is typed while an earlier command runs
// that changes to another directory: there the line would delete files outside the working tree.
func TestLineBehindDirectory(t *testing.T) {
	for _, noMarks := range []bool{false, true} {
		t.Run(map[bool]string{false: "marks", true: "no marks"}[noMarks], func(t *testing.T) {
			t.Parallel()
			dir, open := newGate(t)
			m := managerOf(t, Options{Danger: new(danger.Checker)})
			s, _ := launchWith(t, m, StartOptions{Command: "bash", Args: []string{"--norc"}, Dir: dir, NoMarks: noMarks})
			say(t, s, "mkdir -p a/b; cd a/b")
			const line = "rm -rf ./scratch-not-there"
			if held := heldBy(t, s, Input{Text: line, Enter: true}); held != "" {
				t.Errorf("in the working tree: held by %s", held)
			}
			exchange(t, s, Input{Text: "read x <../../gate; cd ../..", Enter: true}, Wait{Until: UntilNone})
			if held := heldIn(t, s, Input{Text: line, Enter: true}, Wait{Until: UntilNone}); held != "delete" {
				t.Errorf("after cd: held by %q, want \"delete\"", held)
			}
			open()
			say(t, s, "cd a/b")
			if held := heldBy(t, s, Input{Text: line, Enter: true}); held != "" {
				t.Errorf("back in the working tree: held by %s", held)
			}
		})
	}
}

// TestContinued checks that lines that the program takes as one command are checked as a whole.
func TestContinued(t *testing.T) {
	t.Parallel()
	m := forbidding(t)
	s, _ := launch(t, m, "bash", "--norc")
	// A heredoc for cat is data, even if it comes line by line.
	for _, line := range []string{"cat <<EOF", "rm -rf /", "EOF"} {
		say(t, s, line)
	}
	// A heredoc for a shell is not.
	for i, line := range []string{"bash <<EOF", "echo forbidden"} {
		_, err := s.Exchange(t.Context(), Input{Text: line, Enter: true}, Wait{Timeout: patience}, nil)
		if held := new(HeldError); errors.As(err, &held) != (i == 1) {
			t.Errorf("%s: %v", line, err)
		}
	}
	exchange(t, s, Input{Keys: keysOf(t, "ctrl+c")}, Wait{Timeout: patience})
	for i, line := range []string{`echo for\`, "bidden"} {
		_, err := s.Exchange(t.Context(), Input{Text: line, Enter: true}, Wait{Timeout: patience}, nil)
		if held := new(HeldError); errors.As(err, &held) != (i == 1) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestREPLs checks that a dangerous statement is held in programs that are not shells, whether it
// is typed, pasted or entered in pieces, and that a line that only quotes one is run.
func TestREPLs(t *testing.T) {
	for _, tt := range []struct {
		o          StartOptions
		held, runs string
	}{
		{StartOptions{Command: "python3", Args: []string{"-q"}}, "import shutil; shutil.rmtree('/nowhere/at/all')", "'rm -rf /nowhere'"},
		{StartOptions{Command: "sqlite3"}, "DELETE FROM nothing;", "SELECT 'DELETE FROM nothing';"},
		{StartOptions{Command: "node"}, "require('fs').rmSync('/nowhere/at/all', {recursive: true})", "'rm -rf /nowhere'"},
		{StartOptions{Command: "irb", Args: []string{"-f"}}, "FileUtils.rm_rf('/nowhere/at/all')", "'rm -rf /nowhere'"},
		{StartOptions{Command: "gdb", Args: []string{"-q", "-nx"}}, "shell rm -rf /nowhere/at/all", "print 1"},
	} {
		t.Run(tt.o.Command, func(t *testing.T) {
			t.Parallel()
			s, _ := launchWith(t, forbidding(t), tt.o)
			if r := say(t, s, tt.runs); r.Reason != "prompt" {
				t.Errorf("%s: %+v", tt.runs, r)
			}
			for i, in := range []Input{
				{Text: tt.held, Enter: true},
				{Text: tt.held + "\n"},
				{Text: tt.held, Paste: true, Enter: true},
			} {
				_, err := s.Exchange(t.Context(), in, Wait{Timeout: patience}, nil)
				if held := new(HeldError); !errors.As(err, &held) || held.Typed {
					t.Errorf("input %d: %v", i, err)
				}
			}
			exchange(t, s, Input{Text: tt.held[:6]}, Wait{Until: UntilNone})
			if _, err := s.Exchange(t.Context(), Input{Text: tt.held[6:], Enter: true}, Wait{Timeout: patience}, nil); !errors.As(err, new(*HeldError)) {
				t.Errorf("in pieces: %v", err)
			}
		})
	}
}

// TestUnchecked checks that an answer to a password question, and text for a program that runs
// nothing, are not checked as commands.
func TestUnchecked(t *testing.T) {
	t.Parallel()
	m := forbidding(t)
	s, _ := launch(t, m, "bash", "--norc")
	if r := say(t, s, "read -s x"); r.Reason != "password" {
		t.Fatalf("%+v", r)
	}
	if r := say(t, s, "forbidden"); r.Reason != "prompt" {
		t.Errorf("a password: %+v", r)
	}
	say(t, s, "cat")
	if r := say(t, s, "forbidden"); !strings.Contains(r.Output, "forbidden") {
		t.Errorf("data: %+v", r)
	}
}

// TestHeldAfterPassword checks that a command of the agent is held after a password question has
// ended, even if no call of the agent has read how it ended.
func TestHeldAfterPassword(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		line string
		end  func(t *testing.T, s *Session) error
	}{
		"answered by a form": {"read -sp 'Password: ' p", func(t *testing.T, s *Session) error { return s.As(ann).TypeSecret(t.Context(), "hunter2") }},
		"typed": {"read -sp 'Password: ' p", func(t *testing.T, s *Session) error {
			_, err := s.As(ann).Type(t.Context(), Input{Text: "hunter2", Enter: true})
			return err
		}},
		"broken off": {"read -sp 'Password: ' p", func(t *testing.T, s *Session) error {
			_, err := s.As(ann).Type(t.Context(), Input{Keys: keysOf(t, "ctrl+c")})
			return err
		}},
		"given up": {"read -t 2 -sp 'Password: ' p", func(*testing.T, *Session) error { return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := launch(t, forbidding(t), "bash", "--norc")
			r := exchange(t, s, Input{Text: tt.line + "; echo; echo it is $((40 + 2))", Enter: true}, Wait{Timeout: patience})
			if r.Reason != detect.Password {
				t.Fatalf("reason %s", r.Reason)
			}
			if err := s.As(ann).TakeOver(false); err != nil {
				t.Fatal(err)
			}
			if err := tt.end(t, s); err != nil {
				t.Fatal(err)
			}
			if err := s.As(ann).GiveBack("", false); err != nil {
				t.Fatal(err)
			}
			for { // wait for the prompt without a call of the agent
				changed := locked(s, func() chan struct{} { return s.changed })
				if strings.HasSuffix(strings.TrimSpace(s.Snapshot(0).Text()), "\n$") {
					break
				}
				<-changed
			}
			var held *HeldError
			if _, err := s.Exchange(t.Context(), Input{Text: "echo forbidden", Enter: true}, Wait{Timeout: patience}, nil); !errors.As(err, &held) {
				t.Errorf("not held: %v", err)
			}
		})
	}
}

// TestLinesAfterPassword checks that no forbidden line is typed with the answer to a password prompt,
// whichever key ends the answer, and that an answer alone is typed.
func TestLinesAfterPassword(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, forbidding(t), "bash", "--norc")
	ending := []Input{ // cat reads data, but these keys end it
		{Keys: keysOf(t, "ctrl+c", "text:echo forbidden", "enter")},
		{Text: "\x03echo forbidden", Enter: true},
		{Keys: keysOf(t, "text:pw", "ctrl+d", "ctrl+d", "text:echo forbidden", "enter")},
		{Keys: keysOf(t, "ctrl+z", "text:echo forbidden", "enter")},
	}
	for question, inputs := range map[string][]Input{
		"stty -echo; printf 'Password: '; cat >/dev/null; stty echo": ending,
		"read -sp 'Password: ' p": append([]Input{
			{Text: "pw\necho forbidden", Enter: true},
			{Keys: keysOf(t, "text:pw", "enter", "text:forbidden", "home", "text:echo ", "enter")},
			{Keys: keysOf(t, "text:pw", "enter", "up", "enter")},
		}, ending...),
	} {
		if r := exchange(t, s, Input{Text: question, Enter: true}, Wait{Timeout: patience}); r.Reason != detect.Password {
			t.Fatalf("%s: reason %s", question, r.Reason)
		}
		for _, in := range inputs {
			if _, err := s.Type(t.Context(), in); err == nil || !strings.Contains(err.Error(), "must be sent alone: nothing was typed, because") {
				t.Errorf("%s: %+v: %v", question, in, err)
			}
		}
		if _, err := s.Type(t.Context(), Input{Keys: keysOf(t, "ctrl+u", "text:pass word", "backspace", "enter", "ctrl+c")}); err != nil {
			t.Errorf("%s: %v", question, err)
		}
		exchange(t, s, Input{}, Wait{Timeout: patience})
	}
}

// TestConfirmAtPassword checks that a held command is not typed as the answer to a password
// question, and that it stays held.
func TestConfirmAtPassword(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, forbidding(t), "bash", "--norc")
	if _, err := s.Type(t.Context(), Input{Text: "echo forbidden", Enter: true}); err == nil {
		t.Fatal("not held")
	}
	if r := exchange(t, s, Input{Text: "read -sp 'Password: ' p; echo", Enter: true}, Wait{Timeout: patience}); r.Reason != detect.Password {
		t.Fatalf("reason %s", r.Reason)
	}
	if err := s.As(ann).Approve(t.Context(), s.Held()[0].Text); !errors.Is(err, ErrNotConfirmed) || !strings.Contains(err.Error(), "asks for a password") {
		t.Errorf("error %v", err)
	}
	if len(s.Held()) != 1 || !s.AsksSecret() {
		t.Error("the command is no longer held, or the password question was answered")
	}
}

// TestBehindPassword checks that an input is refused if its first line answers a password question
// and a dangerous line follows, with or without its Enter.
func TestBehindPassword(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, forbidding(t), "bash", "--norc")
	ask := func() {
		t.Helper()
		if r := exchange(t, s, Input{Text: "read -rsp 'Password: ' p; echo", Enter: true}, Wait{Timeout: patience}); r.Reason != detect.Password {
			t.Fatalf("reason %s", r.Reason)
		}
	}
	ask()
	for _, in := range []Input{
		{Text: "hunter2\necho forbidden\n"},
		{Text: "hunter2\necho forbidden", Enter: true},
		{Text: "hunter2\necho forbidden"},
		{Keys: keysOf(t, "text:hunter2", "enter", "text:echo forbidden", "enter")},
	} {
		_, err := s.Type(t.Context(), in)
		if err == nil || !strings.HasPrefix(err.Error(), "the answer to a password prompt must be sent alone: ") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v", in, err)
		}
	}
	if !s.AsksSecret() {
		t.Fatal("the password question was answered")
	}
	// If the line comes in two parts, it is read from the screen.
	exchange(t, s, Input{Text: "hunter2\necho for"}, Wait{Timeout: patience, Pattern: literal("echo for")})
	var held *HeldError
	if _, err := s.Type(t.Context(), Input{Text: "bidden", Enter: true}); !errors.As(err, &held) {
		t.Errorf("in two parts: %v", err)
	}
	exchange(t, s, Input{Keys: keysOf(t, "ctrl+c")}, Wait{Timeout: patience})
	ask()
	if r := exchange(t, s, Input{Text: "hunter2\necho fine\n"}, Wait{Timeout: patience, Pattern: literal("\nfine")}); !strings.Contains(r.Output, "fine") {
		t.Errorf("a harmless line: %+v", r)
	}
}

// TestAfterStop checks lines at a shell's prompt after ctrl+z has stopped a program, or ctrl+\ has
// ended it. The terminal has discarded the input that the program had not read, and the lines are
// checked like any others.
func TestAfterStop(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	for _, sh := range [][]string{{"bash", "--norc"}, {"zsh", "-f"}, {"fish", "--no-config"}} {
		for _, typed := range []string{"", "echo for"} {
			t.Run(sh[0]+" "+typed, func(t *testing.T) {
				t.Parallel()
				need.Program(t, sh[0])
				s, _ := launch(t, forbidding(t), sh[0], sh[1:]...)
				start := func(line string) {
					t.Helper()
					exchange(t, s, Input{Text: line, Enter: true}, Wait{Until: UntilNone})
					inForeground(t, s, "sleep")
				}
				start("sleep 1000")
				if typed != "" {
					exchange(t, s, Input{Text: typed}, Wait{Until: UntilNone})
				}
				exchange(t, s, Input{Keys: keysOf(t, "ctrl+z")}, Wait{Timeout: patience})
				inForeground(t, s, sh[0])
				var held *HeldError
				if _, err := s.Type(t.Context(), Input{Text: "echo forbidden", Enter: true}); !errors.As(err, &held) || held.Findings[0].Rule != "user:word" {
					t.Errorf("a dangerous line: %v", err)
				}
				expect(t, say(t, s, "echo a"), detect.Prompt, "a")
				start("fg")
				if _, err := s.Type(t.Context(), Input{Keys: keysOf(t, "ctrl+z", "text:echo forbidden", "enter")}); !errors.As(err, &held) {
					t.Errorf("a dangerous line right after ctrl+z: %v", err)
				}
				exchange(t, s, Input{Keys: keysOf(t, "ctrl+\\")}, Wait{Timeout: patience})
				inForeground(t, s, sh[0])
				expect(t, say(t, s, "echo b"), detect.Prompt, "b")
			})
		}
	}
}

// TestBlankOnScreen checks that the trailing blank of a line that is read from the screen is part
// of the line.
func TestBlankOnScreen(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, managerOf(t, Options{Danger: new(danger.Checker)}), "bash", "--norc")
	exchange(t, s, Input{Keys: keysOf(t, "text:rm -rf ")}, Wait{Timeout: patience})
	exchange(t, s, Input{Keys: keysOf(t, "ctrl+z")}, Wait{Timeout: patience})
	var held *HeldError
	if _, err := s.Type(t.Context(), Input{Text: "/nothing/here", Enter: true}); !errors.As(err, &held) || held.Line != "rm -rf /nothing/here" {
		t.Errorf("typed: %v", err)
	}
}
