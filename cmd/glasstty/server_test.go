package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
)

// waitExit waits for a process to end and returns its status, or 128 plus the signal that
// ended it.
func waitExit(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // the result is in ProcessState
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Errorf("%s does not end", cmd)
		_ = cmd.Process.Kill() // it may have ended just now
		<-done
	}
	ws := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// startPiped starts a server and returns the pipes of its input and output.
func startPiped(t *testing.T, args ...string) (cmd *exec.Cmd, in io.WriteCloser, out io.ReadCloser, stderr *lockedBuffer) {
	t.Helper()
	cmd, _, stderr = server(t, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	// A server that sends nothing more must not block the test forever.
	limit := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { limit.Stop(); r.Close() })
	return cmd, in, r, stderr
}

// TestClientVanishes checks that the server and all its programs end soon after both pipes
// are closed in the middle of a long call.
func TestClientVanishes(t *testing.T) {
	need.Program(t, "bash")
	need.Program(t, "setsid")
	t.Parallel()
	cmd, in, out, _ := startPiped(t)
	waiting := make(chan struct{}, 1)
	client := mcp.NewClient(&mcp.Implementation{Name: "glasstty-test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
			select {
			case waiting <- struct{}{}:
			default:
			}
		},
	})
	session, err := client.Connect(context.Background(), &mcp.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		p := &mcp.CallToolParams{Name: "start_process", Arguments: args{
			"command": "bash", "args": []string{"-c", strays + "; sleep 1000"}, "wait_for": "never", "timeout": 600}}
		p.SetProgressToken("wait")
		_, _ = session.CallTool(context.Background(), p) // the answer is not read
	}()
	select {
	case <-waiting:
	case <-time.After(patience):
		t.Error("no progress was reported")
	}
	out.Close()
	in.Close()
	if status := waitExit(t, cmd); status != 0 {
		t.Errorf("the server ended with status %d", status)
	}
}

// TestMuteClientEnds checks that the server ends after its input is closed, even if the
// client has sent more requests than the server accepts and reads no answers.
func TestMuteClientEnds(t *testing.T) {
	need.Long(t)
	t.Parallel()
	cmd, in, _, stderr := startPiped(t)
	const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mute","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	if _, err := io.WriteString(in, hello); err != nil {
		t.Fatal(err)
	}
	if err := in.(*os.File).SetWriteDeadline(time.Now().Add(2 * time.Second)); err != nil {
		t.Fatal(err)
	}
	sent, err := 0, error(nil)
	for ; err == nil; sent++ {
		_, err = fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", sent)
	}
	t.Logf("%d requests until the server stopped reading: %v", sent, err)
	in.Close()
	if status := waitExit(t, cmd); status != 1 || !strings.Contains(stderr.String(), "did not read its answers") {
		t.Errorf("ended with status %d: %s", status, stderr)
	}
	// This timer determines how soon the server ends. A measured time would depend on the
	// machine's load.
	if hangupGrace >= closeLimit {
		t.Errorf("hangupGrace is %v, want less than closeLimit, %v", hangupGrace, closeLimit)
	}
}

// TestSignalsEndTheServer checks that a signal ends the server while a program runs.
func TestSignalsEndTheServer(t *testing.T) {
	need.Program(t, "bash")
	need.Program(t, "setsid")
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			cmd, in, out, _ := startPiped(t)
			client := mcp.NewClient(&mcp.Implementation{Name: "glasstty-test", Version: "1"}, nil)
			session, err := client.Connect(context.Background(), &mcp.IOTransport{Reader: out, Writer: in}, nil)
			if err != nil {
				t.Fatal(err)
			}
			a := &agent{t: t, session: session}
			a.call("start_process", args{"command": "bash", "args": []string{"-c", strays + "; sleep 1000"},
				"wait_for": "started", "timeout": callTimeout})
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if status := waitExit(t, cmd); status != 0 {
				t.Errorf("the server ended with status %d", status)
			}
		})
	}
}

// message is any JSON-RPC message.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      any             `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// readMessages reads the server's output until the answer to the request id,
// or to the end with id "". Every line must be a message.
func readMessages(t *testing.T, r *bufio.Scanner, id string) (last message) {
	t.Helper()
	for r.Scan() {
		var m message
		if err := json.Unmarshal(r.Bytes(), &m); err != nil || m.Version != "2.0" {
			t.Fatalf("standard output has a line that is not a message: %q", r.Text())
		}
		last = m
		if id != "" && m.ID == id && m.Method == "" {
			return m
		}
	}
	if id != "" {
		t.Errorf("no answer to %s: %v", id, r.Err())
	}
	return last
}

// hello is the first message of an older client.
const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// newScanner returns a scanner of lines up to the maximum size of a message.
func newScanner(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 16<<20)
	return s
}

// TestStdoutIsMCP checks that every line on standard output is a message, until the server
// has ended, while the server logs at the debug level.
func TestStdoutIsMCP(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	cmd, in, out, _ := startPiped(t)
	lines := newScanner(out)
	io.WriteString(in, hello)
	readMessages(t, lines, "hello")
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":"start","method":"tools/call","params":{"name":"start_process","arguments":{"command":"bash","args":["-c","echo out; echo err >&2; echo tty >/dev/tty; sleep 1000"],"wait_for":"tty"}}}`,
		`{"jsonrpc":"2.0","id":"bad","method":"tools/call","params":{"name":"snapshot","arguments":{"session_id":"nope"}}}`,
		`{"jsonrpc":"2.0","id":"none","method":"no/such/method"}`,
	} {
		io.WriteString(in, m+"\n")
		var id struct{ ID string }
		if err := json.Unmarshal([]byte(m), &id); err != nil {
			t.Fatal(err)
		}
		readMessages(t, lines, id.ID)
	}
	in.Close()
	readMessages(t, lines, "")
	if status := waitExit(t, cmd); status != 0 {
		t.Errorf("status %d", status)
	}
}

// TestMalformedLine checks that a line that is not JSON is answered with an error, and
// that the next request is served.
func TestMalformedLine(t *testing.T) {
	t.Parallel()
	cmd, in, out, _ := startPiped(t)
	lines := newScanner(out)
	io.WriteString(in, hello)
	readMessages(t, lines, "hello")
	io.WriteString(in, "this is not JSON\n"+`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`+"\n")
	if !lines.Scan() || !strings.Contains(lines.Text(), "-32700") {
		t.Errorf("answer to a line that is not JSON: %q", lines.Text())
	}
	readMessages(t, lines, "list")
	in.Close()
	readMessages(t, lines, "")
	if status := waitExit(t, cmd); status != 0 {
		t.Errorf("status %d", status)
	}
}

// TestRunByHand checks that a server whose input is a terminal writes three lines to
// standard error for the person, and serves MCP anyway.
func TestRunByHand(t *testing.T) {
	t.Parallel()
	cmd, _, stderr := server(t)
	cmd.Env = append(cmd.Env, "GLASSTTY_LOG_LEVEL=warn")
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	cmd.Stdin = tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	w.Close()
	limit := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer limit.Stop()
	go io.Copy(io.Discard, keyboard) // the terminal's echo
	eventually(t, "the greeting", func() bool { return strings.Count(stderr.String(), "\n") >= 3 })
	io.WriteString(keyboard, hello)
	readMessages(t, newScanner(r), "hello")
	io.WriteString(keyboard, "\x04")
	if status := waitExit(t, cmd); status != 0 {
		t.Errorf("ctrl+d: status %d", status)
	}
	text := stderr.String()
	if strings.Count(text, "\n") != 3 || !strings.Contains(text, "MCP") || !strings.Contains(text, "mcp add glasstty") {
		t.Errorf("standard error:\n%s", text)
	}
}
