package session

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// TestIgnoredSignals checks that the children of a server that was started with signals ignored, as
// a shell's background job is, get the default signals, and so do the children of an owner that
// comes after another. It runs in a process of its own: the runtime remembers for good that a
// signal was ignored.
func TestIgnoredSignals(t *testing.T) {
	t.Parallel()
	const inside = "GLASSTTY_TEST_IGNORES"
	if os.Getenv(inside) == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(need.Program(t, "sh"), "-c", `trap "" INT; exec "$0" -test.run='^TestIgnoredSignals$'`, self)
		cmd.Env = append(os.Environ(), inside+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for range 2 {
		m := NewManager(Options{})
		s, err := m.Start(t.Context(), StartOptions{Command: need.Program(t, "sleep"), Args: []string{"100"}})
		if err != nil {
			t.Fatal(err)
		}
		r := exchange(t, s, Input{Text: "\x03"}, Wait{Until: UntilExit, Timeout: patience, Explain: true})
		if r.Reason != detect.Exited || *r.ExitCode != 128+int(syscall.SIGINT) {
			t.Errorf("after ctrl+c: %+v", r)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
