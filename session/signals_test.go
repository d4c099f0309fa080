package session

import (
	"os/signal"
	"syscall"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// TestIgnoredSignals checks that a server started with signals ignored, as a
// shell's background job is, gives its children the default ones.
func TestIgnoredSignals(t *testing.T) {
	signal.Ignore(syscall.SIGINT)
	defer signal.Reset(syscall.SIGINT)
	m := newManager(t)
	s, err := m.Start(t.Context(), StartOptions{Command: need.Program(t, "sleep"), Args: []string{"100"}})
	if err != nil {
		t.Fatal(err)
	}
	r := exchange(t, s, Input{Text: "\x03"}, Wait{Until: UntilExit, Timeout: patience, Explain: true})
	if r.Reason != detect.Exited || *r.ExitCode != 128+int(syscall.SIGINT) {
		t.Errorf("after ctrl+c: %+v", r)
	}
}
