package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/input"
	"github.com/glasstty/glasstty/session/queue"
	"github.com/glasstty/glasstty/session/ready"
)

// literal returns a pattern that matches text.
func literal(text string) *regexp.Regexp { return regexp.MustCompile(regexp.QuoteMeta(text)) }

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLongLine checks that a line that the kernel would cut is refused, and that the longest line
// that it keeps arrives.
func TestLongLine(t *testing.T) {
	m := newManager(t)
	need.Program(t, "sh")
	s, _ := launch(t, m, "sh", "-c", "stty -echo; echo up; read x; echo ${#x}")
	if _, err := s.Type(t.Context(), Input{Text: strings.Repeat("x", input.MaxLine+1), Enter: true}); !errors.Is(err, input.ErrLongLine) {
		t.Fatalf("Type: %v, want ErrLongLine", err)
	}
	r := say(t, s, strings.Repeat("x", input.MaxLine))
	expect(t, r, detect.Exited, strconv.Itoa(input.MaxLine))
}

// TestInputFull checks that typing to a child that never reads fails, and that the error says how
// much was accepted.
func TestInputFull(t *testing.T) {
	need.Long(t)
	m := newManager(t)
	s, _ := launch(t, m, "sh", "-c", "stty raw -echo; echo up; exec sleep 1000")
	text := strings.Repeat("x", 4*queue.Limit)
	n, err := s.Type(t.Context(), Input{Text: text})
	if !errors.Is(err, ErrInputFull) || n < queue.Limit/2 || n >= len(text) {
		t.Errorf("Type = %d, %v; want ErrInputFull after some of %d bytes", n, err, len(text))
	}
	if !strings.Contains(err.Error(), strconv.Itoa(n)) {
		t.Errorf("error %q does not name the %d bytes accepted", err, n)
	}
	if _, err := s.Terminate(t.Context(), TerminateOptions{Force: true}); err != nil {
		t.Error(err)
	}
}

// TestInputToStarting checks that more input than a pipe holds arrives at a child that takes its
// time to start.
func TestInputToStarting(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	s, err := m.Start(t.Context(), StartOptions{Command: need.Program(t, "sh"), Args: []string{"-c", "sleep 3; exec wc -c"}, Pipe: true})
	if err != nil {
		t.Fatal(err)
	}
	r := exchange(t, s, Input{Text: strings.Repeat("x", 4*queue.Limit), Keys: keysOf(t, "ctrl+d")}, Wait{Until: UntilExit, Timeout: patience})
	expect(t, r, detect.Exited, strconv.Itoa(4*queue.Limit))
}

// TestPasteCutShort checks a paste that is larger than a child accepts while it reads nothing: the
// paste that the child reads later has an end, and text typed afterwards is not part of it.
func TestPasteCutShort(t *testing.T) {
	need.Long(t)
	m := newManager(t)
	need.Program(t, "python3")
	flag := filepath.Join(t.TempDir(), "go")
	s, _ := launch(t, m, "python3", "-c", `
import os, sys, time, tty
tty.setraw(0)
os.write(1, b"\x1b[?2004hup\r\n")
while not os.path.exists(sys.argv[1]): time.sleep(0.01)
got = b""
while not got.endswith(b"Q"): got += os.read(0, 65536)
os.write(1, b"%d %d\r\n" % (got.count(b"\x1b[200~"), got.endswith(b"p\x1b[201~Q")))
`, flag)
	paste := Input{Text: strings.Repeat("p", 4*queue.Limit), Paste: true}
	if n, err := s.Type(t.Context(), paste); !errors.Is(err, ErrInputFull) || n >= len(paste.Text) {
		t.Fatalf("Type = %d, %v; want ErrInputFull", n, err)
	}
	if err := os.WriteFile(flag, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := exchange(t, s, Input{Text: "Q"}, Wait{Until: UntilExit, Timeout: patience})
	if !strings.Contains(r.Output, "1 1") {
		t.Errorf("output %q", r.Output)
	}
}

// TestTabInPaste checks text of several lines with a tab in the first, which the danger check must
// not take for a completion: the text is one paste.
func TestTabInPaste(t *testing.T) {
	t.Parallel()
	for _, sh := range []StartOptions{{Command: "bash", Args: []string{"--norc"}}, {Command: "zsh", Args: []string{"-f"}}} {
		s, _ := launchWith(t, forbidding(t), sh)
		expect(t, exchange(t, s, Input{Text: "echo 'a\tb'\necho c", Enter: true}, Wait{Timeout: patience}), detect.Prompt, "a       b\nc")
		if got := heldBy(t, s, Input{Text: "echo 'a\tb'\necho forbidden", Enter: true}); got != "user:word" {
			t.Errorf("%s: held by %q", sh.Command, got)
		}
	}
}

// TestLargeInput checks that input larger than any buffer arrives whole.
func TestLargeInput(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	need.Program(t, "wc")
	s, _ := launch(t, m, "sh", "-c", "stty raw -echo; echo up; head -c 300000 | wc -c")
	r := exchange(t, s, Input{Text: strings.Repeat("x", 300_000)}, Wait{Until: UntilExit, Timeout: patience})
	if strings.TrimSpace(r.Output) != "300000" {
		t.Errorf("output %q, want 300000", r.Output)
	}
}

// TestNoMixing checks that the inputs of calls that type to one child at once are not mixed.
func TestNoMixing(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	need.Program(t, "cat")
	s, _ := launch(t, m, "sh", "-c", "stty raw -echo; echo up; exec cat")
	exchange(t, s, Input{}, Wait{Until: UntilNone})
	const calls, size = 8, 10_000
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			text := strings.Repeat(string(rune('a'+i)), size)
			if n, err := s.Type(t.Context(), Input{Text: text}); n != size || err != nil {
				t.Errorf("Type = %d, %v", n, err)
			}
		})
	}
	all.Wait()
	var got strings.Builder
	for got.Len() < calls*size {
		r, _, err := s.Read(t.Context(), ReadOptions{}, Wait{Raw: true, Timeout: patience, MaxOutputChars: calls * size}, nil)
		if err != nil || r.Output == "" {
			t.Fatalf("after %d bytes: %+v, %v", got.Len(), r, err)
		}
		got.WriteString(r.Output)
	}
	runs := 1
	text := got.String()
	for i := 1; i < len(text); i++ {
		if text[i] != text[i-1] {
			runs++
		}
	}
	if runs != calls {
		t.Errorf("%d runs of equal bytes, want %d", runs, calls)
	}
}

// TestOthersMayAct checks that others can look and interrupt while a call waits, and that the
// interrupt ends the wait.
func TestOthersMayAct(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	s, _ := launch(t, m, "bash", "--norc")
	waiting := make(chan *Reply, 1)
	go func() {
		r, _ := s.Exchange(context.Background(), Input{Text: "sleep 1000", Enter: true}, Wait{Timeout: patience}, nil)
		waiting <- r
	}()
	exchange(t, s, Input{}, Wait{Pattern: literal("sleep 1000"), Timeout: patience})
	inForeground(t, s, "sleep")
	if got := s.Snapshot(0).Text(); !strings.Contains(got, "sleep 1000") {
		t.Errorf("screen %q", got)
	}
	ctrlC := emulator.Key{Code: emulator.KeyRune, Rune: 'c', Mods: emulator.Ctrl}
	if _, err := s.Type(t.Context(), Input{Keys: []KeyPress{{Key: ctrlC}}}); err != nil {
		t.Error(err)
	}
	if r := <-waiting; r == nil || r.Reason != detect.Prompt {
		t.Errorf("the waiting call got %+v", r)
	}
}

// TestCancel checks that the end of its context ends a wait.
func TestCancel(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	s, _ := launch(t, m, "sh", "-c", "echo up; exec sleep 1000")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	started := make(chan struct{}, 100)
	go func() {
		_, err := s.Exchange(ctx, Input{}, Wait{Until: UntilExit, Timeout: MaxTimeout}, func(time.Duration, string) { started <- struct{}{} })
		ended <- err
	}()
	<-started
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Exchange: %v, want context.Canceled", err)
	}
}

func TestSecretIsNotKept(t *testing.T) {
	m := newManager(t)
	s, r := launch(t, m, "bash", "--norc", "-c", "read -s -p 'Password: ' x; echo; read -p 'More: ' y")
	if r.Reason != detect.Password {
		t.Fatalf("reason %s, %+v", r.Reason, r.Explain)
	}
	r = say(t, s, "hunter2")
	expect(t, r, detect.AwaitingInput, "More: ")
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.state.Echoes.Pending {
		if strings.Contains(l.Text, "hunter2") {
			t.Error("the secret is kept to find its echo")
		}
	}
	if raw := s.state.Raw.Since(0); strings.Contains(string(raw), "hunter2") {
		t.Error("the secret is in the raw output")
	}
}

// TestSlowReader checks that a call that types much to a program that reads little at a time
// returns when its time is over, and says how much was accepted.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	s, _ := launch(t, m, "bash", "--norc", "-c", "stty raw -echo; echo set; while head -c 4096 >/dev/null; do sleep 0.05; done")
	text := strings.Repeat("x", 1<<20)
	_, n, err := s.typeIn(t.Context(), entry{Input: Input{Text: text}}, byKeyLimit+ready.BusyLimit+2*time.Second)
	if !errors.Is(err, ErrSlow) || n < queue.Limit/2 || n >= len(text) || !strings.Contains(err.Error(), fmt.Sprintf("%d of %d bytes", n, len(text))) {
		t.Errorf("typeIn = %d, %v", n, err)
	}
	// A call that waits for its turn meanwhile waits no longer than its own time.
	if err := s.queue.TakeTurn(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if _, n, err := s.typeIn(t.Context(), entry{Input: Input{Text: "y"}}, 10*time.Millisecond); !errors.Is(err, ErrSlow) || n != 0 {
		t.Errorf("out of turn: typeIn = %d, %v", n, err)
	}
	s.queue.GiveTurn()
}
