package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestBackground starts a server in the background as a user does, uses it at once,
// and ends it.
func TestBackground(t *testing.T) {
	need.Program(t, "cat")
	t.Parallel()
	dir := t.TempDir()
	socket := filepath.Join(dir, "the socket")
	run := func(status int, words ...string) string {
		t.Helper()
		cmd := exec.Command(binary, append(words, "--socket", socket)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir)
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != status {
			t.Fatalf("%v: exit status %d, want %d\n%s", words, got, status, out)
		}
		return string(out)
	}
	serve := []string{"serve", "--background", "--port", "0", "--data-dir", "data"}
	said := run(exitOK, serve...)
	t.Cleanup(func() { _ = exec.Command(binary, "stop", "--socket", socket).Run() })
	for _, want := range []string{"listening on " + socket + "\n", "listening on http://127.0.0.1:", "/live/\n", "end it with: glasstty stop --socket '" + socket + "'\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("serve --background says %q, without %q", said, want)
		}
	}
	run(exitOK, "start_process", "command=cat", "name=kept")
	if out := run(exitError, serve...); !strings.Contains(out, "serves "+socket+" already") || !strings.Contains(out, "--replace") {
		t.Errorf("another server: %s", out)
	}
	run(exitOK, append(serve, "--replace")...)
	if out := run(exitOK, "send_and_read", "session_id=kept", "text=still here", "press_enter=true"); !strings.Contains(out, "still here") {
		t.Errorf("after --replace: %s", out)
	}
	if out := run(exitOK, "stop"); !strings.Contains(out, "has ended") {
		t.Errorf("stop: %s", out)
	}
	run(exitNoServer, "stop")
	if out := run(exitUsage, append(serve, "--scrollback=-5")...); !strings.Contains(out, "-5") {
		t.Errorf("a wrong flag: %s", out)
	}
	if out := run(exitError, append(serve, "--data-dir", "/proc/nowhere")...); !strings.Contains(out, "/proc/nowhere") {
		t.Errorf("a directory that cannot be: %s", out)
	}
}
