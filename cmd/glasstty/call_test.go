package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestSharedSocket lets a shell and an MCP client use the same sessions.
func TestSharedSocket(t *testing.T) {
	need.Program(t, "cat")
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	a := connect(t, "mcp", "--structured", "off", "--socket", path)
	call := func(words ...string) string {
		t.Helper()
		cmd := exec.Command(binary, append(words, "--socket", path)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", words, err, out)
		}
		return string(out)
	}
	if out := call("start_process", "command=cat", "name=shared", "--json"); !strings.Contains(out, `"name":"shared"`) {
		t.Errorf("start: %s", out)
	}
	res, err := a.invoke(t.Context(), "send_and_read", args{"session_id": "shared", "text": "from the client", "press_enter": true})
	if err != nil || res.IsError {
		t.Fatalf("%+v, %v", res, err)
	}
	if out := call("snapshot", "session_id=shared"); strings.Count(out, "from the client") != 2 {
		t.Errorf("snapshot: %s", out)
	}
}

// TestCallSignal ends a call in the middle of its wait, and with it the program
// that it started.
func TestCallSignal(t *testing.T) {
	need.Program(t, "bash")
	need.Program(t, "setsid")
	t.Parallel()
	flag := filepath.Join(t.TempDir(), "started")
	cmd, _, _ := server(t, "start_process", "--once", "until=exit", "timeout=600", "command=bash", "args=-c",
		"args="+strays+"; touch "+flag+"; sleep 1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the program to start", func() bool { _, err := os.Stat(flag); return err == nil })
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if status := waitExit(t, cmd); status != 128+int(syscall.SIGINT) {
		t.Errorf("status %d", status)
	}
}
