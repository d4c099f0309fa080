package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
)

// TestSharedSocket checks that commands in a shell and an MCP client use the same
// sessions.
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

// TestCallOfToolThatIsNotServed checks the error for a tool that the server does not offer.
func TestCallOfToolThatIsNotServed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	connect(t, "mcp", "--tools", "core", "--socket", path)
	out, err := exec.Command(binary, "resize_pty", "session_id=s1", "--socket", path).CombinedOutput()
	if want := `tool "resize_pty" is not served: the server was started with a subset; its tools are list_sessions, `; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
}

// TestClientThatDoesNotRead checks that a client that requests thousands of screens over
// the socket and reads no answers does not affect another client.
func TestClientThatDoesNotRead(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	a := connect(t, "mcp", "--socket", path)
	id := a.start("bash").SessionID
	a.line(id, "seq 2000")
	eventually(t, "the socket", func() bool { _, err := os.Stat(path); return err == nil })
	mute, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mute","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	if _, err := io.WriteString(mute, hello); err != nil {
		t.Fatal(err)
	}
	if err := mute.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	sent := 0
	for err == nil {
		sent++
		_, err = fmt.Fprintf(mute, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"snapshot","arguments":{"session_id":%q,"scrollback":-1}}}`+"\n", sent, id)
	}
	t.Logf("%d requests until the server stopped reading: %v", sent, err)
	a.line(id, "echo still here").want(t, "prompt", "still here", "")
	if n := len(a.call("list_sessions", nil).Sessions); n != 1 {
		t.Errorf("%d sessions", n)
	}
}

// TestCallLosesItsServer checks the error of a call whose server closes the connection
// before it answers.
func TestCallLosesItsServer(t *testing.T) {
	theirs, ours := net.Pipe()
	srv := mcp.NewServer(&mcp.Implementation{Name: "short-lived", Version: "1"}, nil)
	srv.AddTool(&mcp.Tool{Name: "wait_for", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, theirs.Close()
		})
	if _, err := srv.Connect(t.Context(), &mcp.IOTransport{Reader: theirs, Writer: theirs}, nil); err != nil {
		t.Fatal(err)
	}
	c, err := connectTo(t.Context(), &mcp.IOTransport{Reader: ours, Writer: ours})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = c.call(t.Context(), "wait_for", nil)
	if !errors.Is(err, errServerGone) || !strings.HasPrefix(err.Error(), "wait_for: the server went away") {
		t.Error(err)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}

// TestCallSignal checks that a signal ends a waiting call, and with it the program that
// the call started.
func TestCallSignal(t *testing.T) {
	need.Program(t, "bash")
	need.Program(t, "setsid")
	t.Parallel()
	flag := filepath.Join(t.TempDir(), "started")
	cmd, _, _ := server(t, "start_process", "until=exit", "timeout=600", "command=bash", "args=-c",
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
