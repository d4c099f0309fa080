package session

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// TestHeldAfterInterrupt checks that a dangerous line is held after a ctrl+c that the shell has not
// handled yet: the text before the ctrl+c is gone by the time the shell reads the new line.
func TestHeldAfterInterrupt(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, forbidding(t), "bash", "--norc")
	exchange(t, s, Input{Text: "# note"}, Wait{Timeout: patience, Until: UntilQuiet})
	shell, err := os.FindProcess(s.Info().PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = shell.Signal(syscall.SIGCONT) }()
	if _, err := s.Type(t.Context(), Input{Keys: keysOf(t, "ctrl+c")}); err != nil {
		t.Fatal(err)
	}
	var held *HeldError
	if _, err := s.Type(t.Context(), Input{Text: "echo forbidden", Enter: true}); !errors.As(err, &held) || held.Line != "echo forbidden" {
		t.Errorf("%v, %+v", err, held)
	}
}
