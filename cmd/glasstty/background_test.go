package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/internal/shellquote"
)

// TestBackground tests serve --background as a user runs it: the server can be used at
// once, replaced and stopped, and bad settings are reported.
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
	for _, want := range []string{"listening on " + socket + "\n", "listening on http://127.0.0.1:", "/live/\n", "end it with: glasstty stop --socket " + shellquote.Word(socket) + "\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("serve --background: output %q lacks %q", said, want)
		}
	}
	run(exitOK, "start_process", "command=cat", "name=kept")
	if out := run(exitError, serve...); !strings.Contains(out, "serves "+socket+" already") || !strings.Contains(out, "--replace") {
		t.Errorf("second server on the same socket: %s", out)
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
		t.Errorf("invalid flag: %s", out)
	}
	if out := run(exitError, append(serve, "--data-dir", "/proc/nowhere")...); !strings.Contains(out, "/proc/nowhere") {
		t.Errorf("unusable data directory: %s", out)
	}
}

// TestBackgroundSetting checks that a server starts once in the background if its settings file says
// background = true.
func TestBackgroundSetting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config, socket := filepath.Join(dir, "config.toml"), filepath.Join(dir, "socket")
	if err := os.WriteFile(config, []byte("background = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "serve", "--socket", socket, "--data-dir", filepath.Join(dir, "data"), "--port", "0")
	cmd.Env = append(os.Environ(), "HOME="+dir, configVar+"="+config)
	out, err := cmd.CombinedOutput()
	t.Cleanup(func() { _ = exec.Command(binary, "stop", "--socket", socket).Run() })
	if err != nil || !strings.Contains(string(out), "listening on "+socket+"\n") || strings.Count(string(out), "goes on in the background") != 1 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestBackgroundPort checks that a taken port is an error if the user asked for it, and
// only a warning if it is the default port.
func TestBackgroundPort(t *testing.T) {
	taken, err := net.Listen("tcp", defaultHost+":8080")
	if err != nil {
		t.Skip("the default port is not ours to take: ", err)
	}
	defer taken.Close()
	dir := t.TempDir()
	socket := filepath.Join(dir, "socket")
	serve := func(words ...string) (string, int) {
		cmd := exec.Command(binary, append([]string{"serve", "--background", "--socket", socket, "--data-dir", filepath.Join(dir, "data")}, words...)...)
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GLASSTTY_") })
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	const want = "glasstty: the port is taken: another process listens on 127.0.0.1:8080"
	if out, status := serve("--port", "8080"); status != exitError || !strings.HasPrefix(out, want) {
		t.Errorf("with --port: exit status %d, %s", status, out)
	}
	out, status := serve()
	defer func() { _ = exec.Command(binary, "stop", "--socket", socket).Run() }()
	if status != exitOK || !strings.HasPrefix(out, want) || !strings.Contains(out, "only the socket is served\nlistening on "+socket) {
		t.Errorf("default port: exit status %d, %s", status, out)
	}
}

// TestForeignRuntimeDir checks that servers refuse a socket directory that another user
// has created. They must not write or create files through its symbolic links. Only root
// can give a directory to another user.
func TestForeignRuntimeDir(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("not root")
	}
	dir := t.TempDir()
	victim, made := filepath.Join(dir, "victim"), filepath.Join(dir, "made")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	theirs := filepath.Join(dir, fmt.Sprintf("glasstty-%d", os.Geteuid()))
	if err := errors.Join(os.Mkdir(theirs, 0o700), os.Chmod(theirs, 0o777), os.Chown(theirs, 4711, 4711)); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"socket.log": victim, "socket.lock": made} {
		if err := os.Symlink(to, filepath.Join(theirs, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, words := range [][]string{
		{"serve", "--background", "--port", "0"}, {"serve", "--no-http"}, {"mcp", "--daemon"}, {"mcp", "--log-level", "info"}, {"doctor"},
	} {
		cmd := exec.Command(binary, words...)
		cmd.Env = []string{"HOME=" + dir, "TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(string(out), theirs+" belongs to another user (uid 4711)") {
			t.Errorf("%q: output %s", words, out)
		}
		if text, err := os.ReadFile(victim); string(text) != "precious" {
			t.Fatalf("%q: target of the link is now %q, %v", words, text, err)
		}
		if _, err := os.Stat(made); err == nil {
			t.Fatalf("%q created a file through a link", words)
		}
		if left, err := os.ReadDir(theirs); len(left) != 2 || err != nil {
			t.Fatalf("%q: directory now has %v, %v; want its two links", words, left, err)
		}
	}
}
