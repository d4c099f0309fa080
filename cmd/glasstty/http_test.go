package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
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

// httpToken is the token of full access to the servers here. readToken may only look.
const (
	httpToken = "test-0123456789abcdefghijkl"
	readToken = "look-0123456789abcdefghijkl"
)

// A served is a server that listens on a free port.
type served struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string // without a path
	socket string
	stderr *lockedBuffer
}

// serveHTTP starts a server with both tokens.
func serveHTTP(t *testing.T, args ...string) *served {
	t.Helper()
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	if err := os.WriteFile(tokens, []byte(readToken+" scope=read\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return serveWith(t, dir, httpToken, append([]string{"--port", "0", "--token-file", tokens}, args...)...)
}

// serveAt starts a server without tokens, with its files in dir.
func serveAt(t *testing.T, dir string, args ...string) *served {
	t.Helper()
	return serveWith(t, dir, "", args...)
}

// serveWith starts a server with a token. An empty token means none.
func serveWith(t *testing.T, dir, token string, args ...string) *served {
	t.Helper()
	s := &served{t: t, socket: filepath.Join(dir, "s")}
	cmd, mark, stderr := server(t, append([]string{"serve", "--socket", s.socket, "--data-dir", filepath.Join(dir, "data")}, args...)...)
	s.cmd, s.stderr = cmd, stderr
	s.cmd.Env = append(s.cmd.Env, "GLASSTTY_TOKEN="+token)
	out := &lockedBuffer{}
	s.cmd.Stdout = out
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	limit := time.AfterFunc(2*patience, func() { _ = s.cmd.Process.Kill() })
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
			waitExit(t, s.cmd)
		}
		limit.Stop()
		// The keeper ends when it sees that the server has ended.
		eventually(t, "nothing is left behind", func() bool { return len(leftovers(mark)) == 0 })
	})
	eventually(t, "the server listens", func() bool { return strings.Contains(out.String(), "/mcp\n") })
	for line := range strings.Lines(out.String()) {
		if _, after, ok := strings.Cut(strings.TrimSpace(line), "listening on http"); ok {
			s.url = "http" + strings.TrimSuffix(after, "/mcp")
		}
	}
	return s
}

// withToken adds a token to requests.
type withToken string

// RoundTrip sends one request.
func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// The ways to use MCP over HTTP: the newest version, the previous one, which has sessions,
// and the older SSE transport.
const (
	newest   = "2026-07-28"
	sessions = "2025-11-25"
	overSSE  = "sse"
)

// agent connects the Go SDK's client in one of these ways.
func (s *served) agent(token, way string, opt *mcp.ClientOptions) *agent {
	s.t.Helper()
	client := &http.Client{Transport: withToken(token)}
	var tr mcp.Transport = &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: client}
	version := &mcp.ClientSessionOptions{ProtocolVersion: way}
	if way == overSSE {
		tr, version = &mcp.SSEClientTransport{Endpoint: s.url + "/sse", HTTPClient: client}, nil
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "glasstty-test", Version: "1"}, opt).Connect(context.Background(), tr, version)
	if err != nil {
		s.t.Fatal(err)
	}
	return &agent{t: s.t, session: session}
}

// metric returns the lines of /metrics that begin with name.
func (s *served) metric(name string) string {
	s.t.Helper()
	res, err := (&http.Client{Transport: withToken(httpToken)}).Get(s.url + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, name) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// TestAgentsShareOverHTTP checks over each transport that two agents can use one session,
// each with its own reader, and that a third with the read token can look and not type.
func TestAgentsShareOverHTTP(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	s := serveHTTP(t)
	for _, ways := range [][2]string{{newest, overSSE}, {sessions, newest}, {overSSE, sessions}} {
		a, b, c := s.agent(httpToken, ways[0], nil), s.agent(httpToken, ways[1], nil), s.agent(readToken, ways[0], nil)
		id := a.call("start_process", args{"command": "bash", "args": []string{"--norc", "--noprofile"}, "env": args{"PS1": "$ "}, "timeout": callTimeout}).SessionID
		reader := b.call("register_reader", args{"session_id": id}).ReaderID
		out := a.call("send_and_read", args{"session_id": id, "text": "echo $((6*7))", "press_enter": true, "timeout": callTimeout})
		if out.Output != "42" {
			t.Errorf("typed: %v", out)
		}
		if out := b.call("read_output", args{"session_id": id, "reader_id": reader, "timeout": callTimeout}); !strings.Contains(out.Output, "42") {
			t.Errorf("the other reader: %v", out)
		}
		if out := c.call("snapshot", args{"session_id": id}); !strings.Contains(out.Screen, "42") {
			t.Errorf("snapshot with the read token: %v", out)
		}
		res, err := c.session.CallTool(context.Background(), &mcp.CallToolParams{Name: "send_input", Arguments: args{"session_id": id, "text": "rm\n"}})
		if err != nil || !res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "may only watch") {
			t.Errorf("typing with the read token: %+v %v", res, err)
		}
		a.call("terminate_process", args{"session_id": id, "force": true, "delete": true})
		for _, agent := range []*agent{a, b, c} {
			if err := agent.session.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if text := s.metric("glasstty_calls_total"); !strings.Contains(text, `{outcome="refused",tool="send_input"} 3`) || !strings.Contains(text, `{outcome="ok",tool="start_process"} 3`) {
		t.Errorf("metrics:\n%s", text)
	}
}

// TestObserverTakesNothing checks that a client with the read token does not consume
// another client's output, cannot remove its readers, and does not use up its reader
// limit.
func TestObserverTakesNothing(t *testing.T) {
	need.Program(t, "cat")
	t.Parallel()
	s := serveHTTP(t)
	for _, way := range []string{newest, sessions, overSSE} {
		a, c := s.agent(httpToken, way, nil), s.agent(readToken, way, nil)
		id := a.call("start_process", args{"command": "cat", "wait_for": "started", "timeout": 0.1}).SessionID
		a.call("send_input", args{"session_id": id, "text": "hello\n"})
		for range 2 {
			if out := c.call("wait_for", args{"session_id": id, "pattern": "hello\nhello", "timeout": callTimeout}); out.Reason != "matched" {
				t.Errorf("%s: observer waiting: %v", way, out)
			}
			if out := c.call("read_output", args{"session_id": id, "until": "none"}); strings.TrimSpace(out.Output) != "hello" {
				t.Errorf("%s: observer reading: %v", way, out)
			}
		}
		mine := c.call("register_reader", args{"session_id": id}).ReaderID
		for want := "hello"; ; want = "" {
			if out := c.call("read_output", args{"session_id": id, "reader_id": mine, "until": "none"}); strings.TrimSpace(out.Output) != want {
				t.Errorf("%s: observer's own reader: %v, want %q", way, out, want)
			}
			if want == "" {
				break
			}
		}
		theirs := a.call("register_reader", args{"session_id": id}).ReaderID
		c.fails("unregister_reader", args{"session_id": id, "reader_id": theirs}, "another client's")
		for range 15 {
			c.call("register_reader", args{"session_id": id})
		}
		c.fails("register_reader", args{"session_id": id}, "16 readers of clients that may only look")
		a.call("register_reader", args{"session_id": id})
		c.call("unregister_reader", args{"session_id": id, "reader_id": mine})
		if out := a.call("read_output", args{"session_id": id, "until": "none"}); strings.TrimSpace(out.Output) != "hello" {
			t.Errorf("%s: the other client reads %v afterwards", way, out)
		}
		a.call("unregister_reader", args{"session_id": id, "reader_id": theirs})
		for _, agent := range []*agent{a, c} {
			if err := agent.session.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestTokenStaysSecret checks that the token is neither in the environment of programs in
// sessions nor in the log.
func TestTokenStaysSecret(t *testing.T) {
	need.Long(t)
	need.Program(t, "env")
	t.Parallel()
	s := serveHTTP(t, "--log-level", "debug")
	a := s.agent(httpToken, newest, nil)
	out := a.call("start_process", args{"command": "env", "until": "exit", "timeout": callTimeout})
	if strings.Contains(out.Text, httpToken) || !strings.Contains(out.Text, "PATH=") {
		t.Errorf("environment of a program: %s", out.Text)
	}
	if _, err := http.Get(s.url + "/mcp"); err != nil {
		t.Fatal(err)
	}
	a.session.Close()
	eventually(t, "the refusal is logged", func() bool { return strings.Contains(s.stderr.String(), "refused") })
	if strings.Contains(s.stderr.String(), httpToken) {
		t.Errorf("token in the log:\n%s", s.stderr.String())
	}
}

// TestClientLeavesInAWait checks that a 60-second wait ends soon after its client has
// left, in each way a client can leave, and that the session goes on with its output
// unread.
func TestClientLeavesInAWait(t *testing.T) {
	need.Long(t)
	need.Program(t, "cat")
	t.Parallel()
	s := serveHTTP(t)
	keeper := s.agent(httpToken, newest, nil)
	id := keeper.call("start_process", args{"command": "cat", "wait_for": "started", "timeout": 0.1}).SessionID
	rest := func() bool { return strings.Contains(s.metric("glasstty_calls_waiting"), " 0\n") }
	for name, leave := range map[string]func(conn net.Conn, mcpSession string){
		"DELETE": func(_ net.Conn, mcpSession string) {
			req, err := http.NewRequest("DELETE", s.url+"/mcp", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Mcp-Session-Id", mcpSession)
			res, err := withToken(httpToken).RoundTrip(req)
			if err != nil || res.StatusCode != http.StatusNoContent {
				t.Fatalf("%v %v", res, err)
			}
			res.Body.Close()
		},
		"dropped connection": func(conn net.Conn, _ string) { conn.Close() },
		"reset connection": func(conn net.Conn, _ string) {
			if err := conn.(*net.TCPConn).SetLinger(0); err != nil {
				t.Fatal(err)
			}
			conn.Close()
		},
	} {
		mcpSession := s.initialize()
		conn := s.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait_for","arguments":{"session_id":%q,"pattern":"never","timeout":60}}}`, id), mcpSession)
		eventually(t, name+": the call waits", func() bool { return !rest() })
		start := time.Now()
		leave(conn, mcpSession)
		eventually(t, name+": the call has ended", rest)
		if d := time.Since(start); d > 40*time.Second {
			t.Errorf("%s: the call ended after %v, want at most 40s", name, d)
		}
	}
	keeper.call("send_input", args{"session_id": id, "text": "still here\n"})
	out := keeper.call("wait_for", args{"session_id": id, "pattern": "still here\nstill here", "timeout": callTimeout})
	if out.Reason != "matched" {
		t.Errorf("afterwards: %v", out)
	}
}

// initialize opens an MCP session by hand and returns its ID.
func (s *served) initialize() string {
	s.t.Helper()
	req, err := http.NewRequest("POST", s.url+"/mcp", strings.NewReader(initialize))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := withToken(httpToken).RoundTrip(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil { // the session exists once the answer has come
		s.t.Fatal(err)
	}
	return res.Header.Get("Mcp-Session-Id")
}

// post posts a message on a new connection.
func (s *served) post(body, mcpSession string) net.Conn {
	s.t.Helper()
	host := strings.TrimPrefix(s.url, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nMcp-Session-Id: %s\r\nMcp-Protocol-Version: 2025-11-25\r\n"+
		"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", host, httpToken, mcpSession, len(body), body)
	return conn
}

// TestStopOverHTTP checks that a waiting call reports that the server is stopping.
func TestStopOverHTTP(t *testing.T) {
	need.Program(t, "cat")
	t.Parallel()
	s := serveHTTP(t)
	waiting := make(chan struct{}, 1)
	a := s.agent(httpToken, sessions, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
			select {
			case waiting <- struct{}{}:
			default:
			}
		},
	})
	id := a.call("start_process", args{"command": "cat", "wait_for": "started", "timeout": 0.1}).SessionID
	told := make(chan string, 1)
	go func() {
		p := &mcp.CallToolParams{Name: "wait_for", Arguments: args{"session_id": id, "pattern": "never", "timeout": 60}}
		p.SetProgressToken("wait")
		res, err := a.session.CallTool(context.Background(), p)
		if err != nil {
			told <- err.Error()
			return
		}
		told <- res.Content[0].(*mcp.TextContent).Text
	}()
	<-waiting
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if text := <-told; !strings.Contains(text, "the server is stopping") {
		t.Errorf("answer to the waiting call: %q", text)
	}
	if status := waitExit(t, s.cmd); status != 0 {
		t.Errorf("status %d", status)
	}
	if errs := s.stderr.String(); strings.Contains(errs, "level=WARN") || strings.Contains(errs, "level=ERROR") {
		t.Errorf("standard error:\n%s", errs)
	}
}

// TestHTTPAfterAKill kills the server and starts another on the same port. It checks that
// the client is told that its MCP session is gone, and that new clients can use the
// terminal session.
func TestHTTPAfterAKill(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	dir := t.TempDir()
	before := serveWith(t, dir, httpToken, "--port", "0")
	a := before.agent(httpToken, sessions, nil)
	id := a.call("start_process", args{"command": "bash", "args": []string{"--norc", "--noprofile"}, "env": args{"PS1": "$ "}, "timeout": callTimeout}).SessionID
	a.call("send_and_read", args{"session_id": id, "text": "x=41", "press_enter": true, "timeout": callTimeout})
	if err := before.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	waitExit(t, before.cmd)
	after := serveWith(t, dir, httpToken, "--port", before.url[strings.LastIndexByte(before.url, ':')+1:])
	if after.url != before.url {
		t.Fatalf("server listens on %s, want %s", after.url, before.url)
	}
	if _, err := a.try("list_sessions", args{}); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("call in the old MCP session: %v", err)
	}
	for _, way := range []string{newest, sessions, overSSE} {
		b := after.agent(httpToken, way, nil)
		out := b.call("send_and_read", args{"session_id": id, "text": "echo $((x+1))", "press_enter": true, "timeout": callTimeout})
		if out.Output != "42" {
			t.Errorf("%s: session from before the kill: %s", way, out.Text)
		}
		if err := b.session.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestServeRefuses checks that serve rejects invalid settings with the right exit status
// and error.
func TestServeRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := filepath.Join(dir, "open")
	if err := os.WriteFile(open, []byte(httpToken), 0o644); err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := fmt.Sprint(taken.Addr().(*net.TCPAddr).Port)
	for _, tt := range []struct {
		args   []string
		env    string
		status int
		want   string
	}{
		{[]string{"--host", "0.0.0.0", "--port", "0"}, "", 2, "needs a token: 0.0.0.0:0; make one"},
		{[]string{"--port", port}, "", 1, "another process listens on 127.0.0.1:" + port},
		{[]string{"--port", "65536"}, "", 2, "not a whole number from 0 to 65535"},
		{[]string{"--port", "0"}, "GLASSTTY_TOKEN=short", 2, "5 characters"},
		{[]string{"--port", "0", "--token-file", open}, "", 2, "chmod 600"},
		{[]string{"--port", "0", "--token-file", filepath.Join(dir, "none")}, "", 2, "no such file"},
		{[]string{"--port", "0", "--tls-cert", open}, "", 2, "belong together"},
		{[]string{"--port", "0", "--tls-cert", open, "--tls-key", open}, "", 2, "TLS"},
		{[]string{"--port", "0", "--allow-origin", "app.example.com"}, "", 2, "such as https://"},
		{[]string{"--port", "0", "--allow-host", "https://a"}, "", 2, "such as terminal.example.com"},
	} {
		cmd := exec.Command(binary, append([]string{"serve", "--socket", filepath.Join(dir, "s")}, tt.args...)...)
		cmd.Env = append(os.Environ(), tt.env)
		out, err := cmd.CombinedOutput()
		if status := cmd.ProcessState.ExitCode(); err == nil || status != tt.status || !strings.Contains(string(out), tt.want) || strings.Contains(string(out), httpToken) {
			t.Errorf("%v: %v\n%s", tt.args, err, out)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "s")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a socket is left: %v", err)
	}
}

// TestStructuredOverHTTP checks that a client gets no structured content if it would drop
// the text for it, and that other clients get both.
func TestStructuredOverHTTP(t *testing.T) {
	t.Parallel()
	s := serveHTTP(t)
	for name, want := range map[string]bool{"claude-code": false, "other": true} {
		client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
			Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: withToken(httpToken)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_sessions"})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(res.StructuredContent)
		if got := string(data) != "null"; err != nil || got != want {
			t.Errorf("%s: structured content %s, %v", name, data, err)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
}
