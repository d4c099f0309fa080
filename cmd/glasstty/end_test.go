package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// TestEndIsSoon checks that a server ends soon, whatever state its clients' connections
// are in: its programs are ended, and no client delays it.
func TestEndIsSoon(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	s := serveHTTP(t)
	a := s.agent(httpToken, newest, nil)
	ended := filepath.Join(t.TempDir(), "ended")
	id := a.call("start_process", args{"command": "bash", "args": []string{"-c", "trap 'touch " + ended + "; exit' TERM HUP; echo up; while :; do read -t 0.01 <> <(:); done"},
		"wait_for": "up", "timeout": callTimeout}).SessionID
	addr := strings.TrimPrefix(s.url, "http://")
	dial := func(network, addr, text string) net.Conn {
		t.Helper()
		conn, err := net.Dial(network, addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	head := "Host: " + addr + "\r\nAuthorization: Bearer " + httpToken + "\r\n"
	dial("tcp", addr, "")
	dial("tcp", addr, "GET /healthz HTTP/1.1\r\nHo")
	dial("tcp", addr, "GET /healthz HTTP/1.1\r\n"+head+"\r\n")
	dial("tcp", addr, "GET /sse HTTP/1.1\r\n"+head+"\r\n")
	dial("tcp", addr, "GET /live/events HTTP/1.1\r\n"+head+"\r\n")
	dial("unix", s.socket, "")
	dial("unix", s.socket, "GET /live/events HTTP/1.1\r\nHost: x\r\n\r\n")
	call := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait_for","arguments":{"session_id":%q,"pattern":"never","timeout":60}}}`, id)
	eventually(t, "no call waits", func() bool { return strings.Contains(s.metric("glasstty_calls_waiting"), " 0\n") })
	waiting := s.post(call, s.initialize()) // this client does not read the answer
	eventually(t, "the call waits", func() bool { return !strings.Contains(s.metric("glasstty_calls_waiting"), " 0\n") })

	began := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := waitExit(t, s.cmd); status != 128+int(syscall.SIGTERM) && status != 0 {
		t.Errorf("status %d", status)
	}
	took := time.Since(began)
	t.Logf("the server ended after %v", took)
	if took > 3*time.Second { // less than a second on a quiet machine
		t.Errorf("the server took %v to end", took)
	}
	if _, err := os.Stat(ended); err != nil {
		t.Errorf("the program was not asked to end: %v", err)
	}
	if answer, _ := io.ReadAll(waiting); !strings.Contains(string(answer), "stopping") {
		t.Errorf("answer to the waiting call: %q", answer)
	}
}
