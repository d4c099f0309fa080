package session

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/child"
)

func TestStartBadly(t *testing.T) {
	m := newManager(t)
	tests := []struct {
		name string
		o    StartOptions
		want error
		says string
	}{
		{"not found", StartOptions{Command: "no-such-program"}, ErrCommand, `"no-such-program"`},
		{"a line", StartOptions{Command: "ls -l"}, ErrCommand, `args ["-l"]`},
		{"directory", StartOptions{Command: "/"}, ErrCommand, "a directory"},
		{"cwd", StartOptions{Command: "sh", Dir: "/no/such"}, ErrArgument, "/no/such"},
		{"rows", StartOptions{Command: "sh", Size: emulator.Size{Rows: 1001, Cols: 80}}, ErrArgument, "rows is 1001"},
		{"cols", StartOptions{Command: "sh", Size: emulator.Size{Rows: 24, Cols: -1}}, ErrArgument, "cols is -1"},
		{"name", StartOptions{Command: "sh", Name: strings.Repeat("x", maxName+1)}, ErrArgument, "65 bytes"},
		{"environment", StartOptions{Command: "sh", Env: map[string]string{"A=B": "x"}}, ErrArgument, "A=B"},
		{"argument", StartOptions{Command: "sh", Args: []string{"a\x00"}}, ErrArgument, "args[0]"},
	}
	for _, tt := range tests {
		_, err := m.Start(t.Context(), tt.o)
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %v; want %v saying %q", tt.name, err, tt.want, tt.says)
		}
	}
	if n := len(m.List()); n != 0 {
		t.Errorf("%d sessions after failed starts", n)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	a, _ := launch(t, m, "cat")
	b, _ := launch(t, m, "cat")
	if a.Info().Name != "cat" || b.Info().Name != "cat-2" {
		t.Errorf("names %q and %q, want cat and cat-2", a.Info().Name, b.Info().Name)
	}
	for _, ref := range []string{a.ID(), "cat"} {
		if s, err := m.Session(ref); err != nil || s != a {
			t.Errorf("Session(%q) = %v, %v", ref, s, err)
		}
	}
	if _, err := m.Session("s99"); !errors.Is(err, ErrNoSession) || !strings.Contains(err.Error(), `"s99"`) {
		t.Errorf("Session(s99): %v", err)
	}
	end := func(s *Session) {
		if _, err := s.Terminate(t.Context(), TerminateOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
	}
	third, _ := launchWith(t, m, StartOptions{Command: "cat", Name: "cat"})
	if _, err := m.Session("cat"); !errors.Is(err, ErrAmbiguous) || !strings.HasSuffix(err.Error(), `"cat" names s1, s3`) {
		t.Errorf("Session of two: %v", err)
	}
	end(a)
	if s, err := m.Session("cat"); err != nil || s != third {
		t.Errorf("Session of two, of which one runs: %v, %v", s, err)
	}
	end(third)
	if _, err := m.Session("cat"); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("Session of two that have ended: %v", err)
	}
}

func TestMaxSessions(t *testing.T) {
	need.Program(t, "cat")
	m := NewManager(Options{MaxSessions: 2})
	defer m.Close()
	for range 2 {
		if _, err := m.Start(t.Context(), StartOptions{Command: "cat"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Start(t.Context(), StartOptions{Command: "cat"}); !errors.Is(err, ErrTooMany) || !strings.Contains(err.Error(), "end one with terminate_process") {
		t.Errorf("third start: %v, want ErrTooMany with the next step", err)
	}
}

// TestEndedMakeRoom checks that a start beyond the limit of sessions deletes the oldest one that
// has ended, and that the reply says so.
func TestEndedMakeRoom(t *testing.T) {
	need.Program(t, "cat")
	m := NewManager(Options{MaxSessions: 3})
	defer m.Close()
	launchWith(t, m, StartOptions{Command: "cat", Name: "runs"})
	launch(t, m, "sh", "-c", "exit 1")
	launch(t, m, "sh", "-c", "exit 2")
	for n, gone := range []string{"s2", "s3"} {
		_, r := launchWith(t, m, StartOptions{Command: "cat"})
		if notes := strings.Join(r.Notes, "; "); !strings.Contains(notes, "session "+gone+" (") || !strings.Contains(notes, "--max-sessions") {
			t.Errorf("start %d: notes %q, want that %s has made room", n, notes, gone)
		}
		if _, err := m.Session(gone); !errors.Is(err, ErrNoSession) {
			t.Errorf("session %s: %v, want ErrNoSession", gone, err)
		}
	}
	if _, err := m.Start(t.Context(), StartOptions{Command: "cat"}); !errors.Is(err, ErrTooMany) {
		t.Errorf("with all running: %v, want ErrTooMany", err)
	}
	if _, err := m.Session("runs"); err != nil {
		t.Error(err)
	}
}

func TestAfterExit(t *testing.T) {
	m := newManager(t)
	s, r := launch(t, m, "sh", "-c", "echo bye")
	expect(t, r, detect.Exited, "bye")
	if _, err := s.Type(t.Context(), Input{Text: "x"}); !errors.Is(err, ErrExited) {
		t.Errorf("Type: %v, want ErrExited", err)
	}
	if _, err := s.Resize(10, 10); !errors.Is(err, ErrExited) {
		t.Errorf("Resize: %v, want ErrExited", err)
	}
	start := time.Now()
	r, _, err := s.Read(t.Context(), ReadOptions{}, Wait{Timeout: MaxTimeout}, nil)
	if err != nil || r.Reason != detect.Exited || r.Output != "" || time.Since(start) > patience {
		t.Errorf("Read: %+v, %v", r, err)
	}
	if code, err := s.Terminate(t.Context(), TerminateOptions{}); err != nil || code != 0 {
		t.Errorf("Terminate: %d, %v", code, err)
	}
	if err := m.Delete(s.ID()); err != nil {
		t.Errorf("Delete: %v", err)
	}
	if err := m.Delete(s.ID()); !errors.Is(err, ErrNoSession) {
		t.Errorf("Delete again: %v", err)
	}
}

// TestDeleteAtOnce checks that a session can be deleted at the very moment at which its status says
// that it has ended.
func TestDeleteAtOnce(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	for range need.Few(t, 20, 100) {
		s, err := m.Start(t.Context(), StartOptions{Command: "true"})
		if err != nil {
			t.Fatal(err)
		}
		for s.Info().Status == StatusRunning {
			runtime.Gosched()
		}
		if err := m.Delete(s.ID()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDeleteRunning(t *testing.T) {
	m := newManager(t)
	s, _ := launch(t, m, "cat")
	if err := m.Delete(s.ID()); !errors.Is(err, ErrRunning) {
		t.Errorf("Delete: %v, want ErrRunning", err)
	}
}

// TestTerminateShell checks that an interactive shell, which ignores SIGTERM, ends before the grace
// period is over.
func TestTerminateShell(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("which signals a process ignores is known on Linux only")
	}
	for _, shell := range []string{"bash", "zsh"} {
		t.Run(shell, func(t *testing.T) {
			s, _ := launch(t, newManager(t), shell)
			code, err := s.Terminate(t.Context(), TerminateOptions{Grace: time.Minute})
			if err != nil || code == 128+int(syscall.SIGKILL) {
				t.Errorf("exit code %d, %v; want an end before SIGKILL", code, err)
			}
		})
	}
}

func TestTerminate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		o            TerminateOptions
		want         int
	}{
		{"plain", "echo up; exec sleep 1000", TerminateOptions{}, 128 + 15},
		{"signal", "echo up; exec sleep 1000", TerminateOptions{Signal: "int"}, 128 + 2},
		{"force", "trap '' TERM; echo up; while :; do sleep 1; done", TerminateOptions{Force: true}, 128 + 9},
		{"deaf", "trap '' TERM; echo up; while :; do sleep 1; done", TerminateOptions{Grace: 50 * time.Millisecond}, 128 + 9},
		{"says its code", "trap 'exit 9' TERM; echo up; while :; do sleep 0.01; done", TerminateOptions{}, 9},
		{"stopped", "echo up; kill -STOP $$", TerminateOptions{}, 128 + 15},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newManager(t)
			need.Program(t, "sh")
			s, err := m.Start(t.Context(), StartOptions{Command: "sh", Args: []string{"-c", tt.script}})
			if err != nil {
				t.Fatal(err)
			}
			awaitText(t, s, "up")
			code, err := s.Terminate(t.Context(), tt.o)
			if err != nil || code != tt.want {
				t.Errorf("Terminate = %d, %v; want %d", code, err, tt.want)
			}
			if info := s.Info(); info.Status != StatusExited {
				t.Errorf("status %s", info.Status)
			}
		})
	}
	m := newManager(t)
	s, _ := launch(t, m, "cat")
	if _, err := s.Terminate(t.Context(), TerminateOptions{Signal: "SIGNOSUCH"}); !errors.Is(err, ErrArgument) {
		t.Errorf("an unknown signal: %v, want ErrArgument", err)
	}
}

// awaitText waits until a session's output contains text.
func awaitText(t *testing.T, s *Session, text string) {
	t.Helper()
	r := exchange(t, s, Input{}, Wait{Pattern: literal(text), Timeout: patience})
	if r.Reason != detect.Matched {
		t.Fatalf("waiting for %q: reason %s, output %q", text, r.Reason, r.Output)
	}
}

// TestNobodyLeft checks that no descendant outlives a session, in every way to hide one that we
// know.
func TestNobodyLeft(t *testing.T) {
	t.Parallel()
	need.Program(t, "setsid")
	need.Program(t, "sh")
	for name, script := range map[string]string{
		"background":   "sleep 1000 & PID; echo up; wait",
		"own session":  "setsid sh -c 'echo $$ > $OUT; exec sleep 1000' & while [ ! -s $OUT ]; do sleep 0.02; done; echo up; wait",
		"daemon":       "(setsid sh -c 'echo $$ > $OUT; trap \"\" TERM HUP; while :; do sleep 1; done' &) ; while [ ! -s $OUT ]; do sleep 0.02; done; echo up; exec sleep 1000",
		"no tag":       "(env -i OUT=$OUT setsid /bin/sh -c 'echo $$ > $OUT; exec /bin/sleep 1000' &) ; while [ ! -s $OUT ]; do sleep 0.02; done; echo up; exec sleep 1000",
		"parent ended": "(setsid sh -c 'echo $$ > $OUT; exec sleep 1000' &) ; while [ ! -s $OUT ]; do sleep 0.02; done; echo up",
	} {
		for _, how := range []string{"terminate", "close"} {
			t.Run(name+"/"+how, func(t *testing.T) {
				out := filepath.Join(t.TempDir(), "pid")
				m := NewManager(Options{})
				defer m.Close()
				s, err := m.Start(t.Context(), StartOptions{
					Command: "sh", Args: []string{"-c", strings.Replace(script, "PID", "echo $! > $OUT", 1)}, Env: map[string]string{"OUT": out},
				})
				if err != nil {
					t.Fatal(err)
				}
				awaitText(t, s, "up")
				text, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				pid := atoi(t, string(text))
				if !child.Alive(pid) {
					t.Fatalf("process %d does not run", pid)
				}
				if how == "terminate" && name != "no tag" {
					_, err = s.Terminate(t.Context(), TerminateOptions{Grace: 200 * time.Millisecond})
				} else {
					err = m.Close()
				}
				if err != nil {
					t.Error(err)
				}
				if child.Alive(pid) {
					t.Errorf("process %d is still running", pid)
				}
			})
		}
	}
}

// TestTwenty checks twenty sessions at the same time.
func TestTwenty(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	need.Program(t, "sh")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			s, err := m.Start(t.Context(), StartOptions{Command: "sh", Args: []string{"-c", "read x; echo got $x"}})
			if err != nil {
				t.Error(err)
				return
			}
			r, err := s.Exchange(t.Context(), Input{Text: s.ID(), Enter: true}, Wait{Until: UntilExit, Timeout: patience}, nil)
			if err != nil || !strings.HasSuffix(r.Output, "got "+s.ID()) {
				t.Errorf("%s: %+v, %v", s.ID(), r, err)
			}
		})
	}
	all.Wait()
	if n := len(m.List()); n != 20 {
		t.Errorf("%d sessions listed, want 20", n)
	}
}

func TestManagerClosed(t *testing.T) {
	need.Program(t, "cat")
	m := NewManager(Options{})
	s, err := m.Start(t.Context(), StartOptions{Command: "cat"})
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan *Reply, 1)
	go func() {
		r, _ := s.Exchange(context.Background(), Input{}, Wait{Until: UntilExit, Timeout: patience}, nil)
		waiting <- r
	}()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if r := <-waiting; r == nil || r.Reason != detect.Exited {
		t.Errorf("the waiting call got %+v", r)
	}
	if _, err := m.Start(t.Context(), StartOptions{Command: "cat"}); !errors.Is(err, ErrClosed) {
		t.Errorf("Start: %v, want ErrClosed", err)
	}
	if err := m.Close(); err != nil {
		t.Errorf("Close again: %v", err)
	}
}

// TestWorkingDirectory checks that PWD names the directory in which a program is started, unless
// the caller sets it.
func TestWorkingDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("OLDPWD", "/")
	for _, env := range []map[string]string{nil, {"PWD": "/else"}} {
		_, r := launchWith(t, newManager(t), StartOptions{Command: "printenv", Args: []string{"PWD", "OLDPWD"}, Dir: dir, Env: env})
		if want := cmp.Or(env["PWD"], dir); r.Output != want {
			t.Errorf("with %v: %q, want %q", env, r.Output, want)
		}
	}
}
