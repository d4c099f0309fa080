package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestHintIsACommand checks that the command that an agent shows its user finds the right
// session, even if another server has a session with the same name.
func TestHintIsACommand(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "it's here")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	connect(t, "mcp").start("cat")
	a := connect(t, "mcp", "--socket", filepath.Join(dir, "s"))
	hint := a.start("bash", "-c", "read -sp 'Password: ' x").Hint
	found := regexp.MustCompile(`run glasstty (.*?), or to`).FindStringSubmatch(hint)
	if found == nil {
		t.Fatalf("no command in %q", hint)
	}
	cmd := exec.Command("bash", "-c", binary+" "+found[1]+" </dev/null")
	cmd.Env = append(os.Environ(), "TERM=xterm")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "standard input is not a terminal") {
		t.Errorf("%s: %v, %s", found[1], err, out)
	}
}

// TestReaderHasSeenEnough checks that a command whose output pipe is closed ends without
// an error message, as other programs do.
func TestReaderHasSeenEnough(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"man"}, {"version"}, {"completion", "bash"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(binary, args...)
		var said strings.Builder
		cmd.Stdout, cmd.Stderr = w, &said
		if err := errors.Join(r.Close(), cmd.Start(), w.Close()); err != nil {
			t.Fatal(err)
		}
		err = cmd.Wait()
		state, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if err == nil || said.Len() > 0 || !(state.Signal() == syscall.SIGPIPE || state.ExitStatus() == 128+int(syscall.SIGPIPE)) {
			t.Errorf("%v: %v, %q", args, err, said.String())
		}
	}
}
