package session

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/command"
)

func TestPipeKeepsOrder(t *testing.T) {
	s, r := launchWith(t, newManager(t), StartOptions{
		Command: "sh", Args: []string{"-c", "echo one; echo two >&2; echo three; echo four >&2"}, Pipe: true,
	})
	expect(t, r, detect.Exited, "one\ntwo\nthree\nfour")
	if got := s.Snapshot(0).Text(); got != "one\ntwo\nthree\nfour" {
		t.Errorf("screen %q", got)
	}
}

func TestPipeTakesLinesAndItsEnd(t *testing.T) {
	t.Parallel()
	s, _ := launchWith(t, newManager(t), StartOptions{Command: "cat", Pipe: true})
	r := exchange(t, s, Input{Text: "same as typed\nsecond", Enter: true}, Wait{Timeout: patience, Until: UntilQuiet})
	if r.Output != "same as typed\nsecond" {
		t.Errorf("cat returns %q", r.Output)
	}
	bad := []Input{
		{Keys: []KeyPress{{Key: emulator.Key{Code: emulator.KeyUp}}}},
		{Keys: []KeyPress{{Key: emulator.Key{Code: emulator.KeyRune, Rune: 'c', Mods: emulator.Ctrl}}}},
		{Mouse: []emulator.Mouse{{Button: 1}}},
		{Keys: keysOf(t, "ctrl+d", "text:after the end")},
	}
	for _, in := range bad {
		if _, err := s.Type(t.Context(), in); err == nil || !strings.Contains(err.Error(), "nothing was typed") {
			t.Errorf("%+v: %v", in, err)
		}
	}
	if _, err := s.Resize(10, 10); err == nil || !strings.Contains(err.Error(), ErrPipe.Error()) {
		t.Errorf("Resize: %v", err)
	}
	end := Input{Text: "last\n", Keys: []KeyPress{{Key: emulator.Key{Code: emulator.KeyRune, Rune: 'd', Mods: emulator.Ctrl}}}}
	expect(t, exchange(t, s, end, Wait{Timeout: patience}), detect.Exited, "last")
}

// TestPipeWaits checks that the kernel shows when a program on pipes waits for input, from its
// silent start on, and that its previous command is done then.
func TestPipeWaits(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	m := newManager(t)
	byKernel := func(r *Reply, reason detect.Reason, output string) {
		t.Helper()
		expect(t, r, reason, output)
		if r.Explain.Layer != detect.LayerKernel {
			t.Errorf("decided by %+v", r.Explain)
		}
	}
	s, r := launchWith(t, m, StartOptions{Command: "cat", Pipe: true})
	byKernel(r, detect.AwaitingInput, "")
	byKernel(say(t, s, "one"), detect.AwaitingInput, "one")
	s, r = launchWith(t, m, StartOptions{Command: "sh", Pipe: true})
	if r.Reason != detect.Prompt {
		t.Fatalf("start: %s, %+v", r.Reason, r.Explain)
	}
	byKernel(say(t, s, "echo one; sleep 0.3; echo two"), detect.Prompt, "one\ntwo")
	byKernel(say(t, s, "read x"), detect.AwaitingInput, "")
	byKernel(say(t, s, "a word"), detect.Prompt, "")
	byKernel(say(t, s, "cat | cat"), detect.AwaitingInput, "")
	byKernel(say(t, s, "through two"), detect.AwaitingInput, "through two")
}

func TestPipeInputClosed(t *testing.T) {
	t.Parallel()
	s, _ := launchWith(t, newManager(t), StartOptions{Command: "sh", Args: []string{"-c", "cat; sleep 60"}, Pipe: true})
	end := Input{Keys: []KeyPress{{Key: emulator.Key{Code: emulator.KeyRune, Rune: 'd', Mods: emulator.Ctrl}}}}
	exchange(t, s, end, Wait{Timeout: patience, Until: UntilQuiet})
	if _, err := s.Type(t.Context(), Input{Text: "x"}); err == nil || !strings.Contains(err.Error(), ErrInputClosed.Error()) {
		t.Errorf("typing after the end of the input: %v", err)
	}
}

func TestPipeInterpreters(t *testing.T) {
	t.Parallel()
	s, r := launchWith(t, newManager(t), StartOptions{Command: "python3", Args: []string{"-q"}, Pipe: true})
	if fmt.Sprint(r.Notes) != "[started as python3 -q -u -i, to be interactive without a terminal]" || r.Prompt != ">>> " {
		t.Errorf("python3 on a pipe: prompt %q, notes %q", r.Prompt, r.Notes)
	}
	r = say(t, s, "6 * 7")
	if r.Output != "42" || r.Prompt != ">>> " || len(r.Notes) != 0 {
		t.Errorf("6 * 7: %q, prompt %q, notes %q, %s %+v", r.Output, r.Prompt, r.Notes, r.Reason, r.Explain)
	}
	s, _ = launchWith(t, newManager(t), StartOptions{Command: "bash", Args: []string{"--norc"}, Pipe: true})
	if r = say(t, s, "echo $((6 * 7)); false"); r.Output != "42" {
		t.Errorf("bash on a pipe: %q, %s", r.Output, r.Reason)
	}
}

func TestWithInteractive(t *testing.T) {
	for _, tt := range []struct {
		command string
		args    []string
		want    []string
	}{
		{"/usr/bin/python3", nil, []string{"-u", "-i"}},
		{"python3.11", []string{"-q", "-u"}, []string{"-q", "-u", "-i"}},
		{"python3", []string{"run.py"}, []string{"run.py"}},
		{"python3", []string{"-c", "1"}, []string{"-c", "1"}},
		{"bash", nil, []string{"--noediting", "-i"}},
		{"bash", []string{"--norc", "-x"}, []string{"--noediting", "--norc", "-x", "-i"}},
		{"node", []string{"-i"}, []string{"-i"}},
		{"bashful", nil, nil},
		{"node", nil, []string{"-i"}},
		{"cat", nil, nil},
	} {
		got, note := command.InteractiveArgs(tt.command, tt.args)
		if !slices.Equal(got, tt.want) || (note != "") == slices.Equal(got, tt.args) {
			t.Errorf("%s %q: %q, note %q", tt.command, tt.args, got, note)
		}
	}
}

// noTerminals is an owner on a machine without terminals.
type noTerminals struct{ child.Owner }

func (o noTerminals) Start(spec child.Spec) (child.Child, error) {
	if !spec.Pipe {
		return nil, fmt.Errorf("%w: %w", child.ErrNoPTY, os.ErrNotExist)
	}
	return o.Owner.Start(spec)
}

func TestNoTerminalFallsBackToPipes(t *testing.T) {
	m := managerOf(t, Options{Children: noTerminals{child.NewLocal(child.Options{})}})
	s, r := launchWith(t, m, StartOptions{Command: "sh", Args: []string{"-c", "echo hello"}})
	expect(t, r, detect.Exited, "hello")
	if !s.Info().Pipe || !strings.HasPrefix(fmt.Sprint(r.Notes), "[no terminal was available (cannot run \"sh\": open a terminal: file does not exist): the program runs on pipes") {
		t.Errorf("pipe %v, notes %q", s.Info().Pipe, r.Notes)
	}
}

// TestPipeEndDelayed checks a program whose input was closed while something else holds a copy of
// it, as a process does that is being started: the program reads on, and is not seen waiting for
// input.
func TestPipeEndDelayed(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launchWith(t, newManager(t), StartOptions{Command: "wc", Args: []string{"-c"}, Pipe: true})
	pipe, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", s.child.PID()))
	if err != nil {
		t.Fatal(err)
	}
	held := -1
	fds, err := os.ReadDir("/proc/self/fd")
	for _, fd := range fds {
		if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); to == pipe {
			n, _ := strconv.Atoi(fd.Name())
			held, err = unix.FcntlInt(uintptr(n), unix.F_DUPFD_CLOEXEC, 0)
			break
		}
	}
	if held < 0 || err != nil {
		t.Fatal("no copy of the pipe: ", err)
	}
	end := Input{Text: "four", Keys: []KeyPress{{Key: emulator.Key{Code: emulator.KeyRune, Rune: 'd', Mods: emulator.Ctrl}}}}
	r := exchange(t, s, end, Wait{Timeout: 300 * time.Millisecond, Explain: true})
	if r.Reason != detect.Timeout {
		t.Errorf("while its input has not ended: %s, %+v", r.Reason, r.Explain)
	}
	if err := unix.Close(held); err != nil {
		t.Fatal(err)
	}
	expect(t, exchange(t, s, Input{}, Wait{Timeout: patience, Until: UntilExit}), detect.Exited, "4")
}
