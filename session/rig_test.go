package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(need.Home(m)) }

// patience is how long a test waits for something that must happen soon, even on a busy machine.
const patience = 20 * time.Second

// newManager returns a Manager that is closed when the test ends.
func newManager(t *testing.T) *Manager {
	t.Helper()
	return managerOf(t, Options{})
}

// managerOf is newManager with options.
func managerOf(t *testing.T, o Options) *Manager {
	t.Helper()
	t.TempDir() // so that temporary directories are removed after the programs in them have ended
	m := NewManager(o)
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return m
}

// launch starts a program and waits until it is ready.
func launch(t *testing.T, m *Manager, command string, args ...string) (*Session, *Reply) {
	t.Helper()
	return launchWith(t, m, StartOptions{Command: command, Args: args})
}

// launchWith is launch with all options. It keeps the user's own startup files out, as they would
// make prompts differ from machine to machine.
func launchWith(t *testing.T, m *Manager, o StartOptions) (*Session, *Reply) {
	t.Helper()
	need.Program(t, o.Command)
	if o.Dir == "" {
		o.Dir = t.TempDir() // where an editor that is killed may leave a file
	}
	if o.Env == nil {
		o.Env = map[string]string{}
	}
	for k, v := range map[string]string{"HOME": t.TempDir(), "PS1": "$ ", "PYTHON_HISTORY": "/dev/null", "HISTFILE": ""} {
		if _, ok := o.Env[k]; !ok {
			o.Env[k] = v
		}
	}
	s, err := m.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s, exchange(t, s, Input{}, Wait{Timeout: patience, Explain: true})
}

// exchange types input and waits for the reply.
func exchange(t *testing.T, s *Session, in Input, w Wait) *Reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	r, err := s.Exchange(ctx, in, w, nil)
	if err != nil {
		t.Fatalf("Exchange(%+v): %v", in, err)
	}
	return r
}

// say types a line and waits until the program is ready.
func say(t *testing.T, s *Session, line string) *Reply {
	t.Helper()
	return exchange(t, s, Input{Text: line, Enter: true}, Wait{Timeout: patience, Explain: true})
}

// inForeground waits until a program with one of the names is in the foreground. Anything typed
// before, even ctrl+c, would go to its shell.
func inForeground(t *testing.T, s *Session, names ...string) {
	t.Helper()
	for limit := time.Now().Add(patience); !slices.Contains(names, s.Info().Foreground); {
		if time.Now().After(limit) {
			t.Fatalf("foreground %s, want one of %s", s.Info().Foreground, names)
		}
		exchange(t, s, Input{}, Wait{Until: UntilChange, Timeout: MinTimeout})
	}
}

// newGate returns a new directory with a FIFO named gate, and a function that lets one program that
// reads a line from it go on. With it, a job can write after a reply, however late the reply comes.
func newGate(t *testing.T) (dir string, open func()) {
	t.Helper()
	dir = t.TempDir()
	gate := filepath.Join(dir, "gate")
	if err := unix.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, func() {
		t.Helper()
		if err := os.WriteFile(gate, []byte("\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// expect checks a reply's reason and output.
func expect(t *testing.T, r *Reply, reason detect.Reason, output string) {
	t.Helper()
	if r.Reason != reason || r.Output != output {
		t.Errorf("reply: reason %s, output %.500q, prompt %q, %+v\nwant:  reason %s, output %.500q", r.Reason, r.Output, r.Prompt, r.Explain, reason, output)
	}
}
