package abuse

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tokens of a site. fullToken is the one in the server's environment.
const (
	fullToken  = "full-0123456789abcdefghij"
	readToken  = "read-0123456789abcdefghij"
	watchToken = "look-0123456789abcdefghij"
	oldToken   = "old--0123456789abcdefghij"
)

// shown is text on the victim's screen that no attacker may see; owned is text that no
// attacker may type.
const (
	shown = "wombat-on-the-screen"
	owned = "owned"
)

// newest is the first MCP version whose requests need no initialized session.
const newest = "2026-07-28"

// A site is a server started from the command line with every way in enabled, and a
// session with a stand-in for bash.
type site struct {
	*testing.T
	dir, socket, record, log, tokens string
	addr                             string // host and port
	stderr                           *said
	pid                              int
	session                          string
	child                            int
	agent                            *mcp.ClientSession
	knocks                           int // requests so far, each from its own address
}

// said collects the output of a process. It is safe for concurrent use.
type said struct {
	mu   sync.Mutex // guards what follows
	buf  bytes.Buffer
	more chan struct{} // closed when output arrives; nil if nobody waits
}

// Write implements io.Writer.
func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.more != nil {
		close(s.more)
		s.more = nil
	}
	return s.buf.Write(p)
}

// says waits until the output contains text, and returns false if ctx ends first.
func (s *said) says(ctx context.Context, text string) bool {
	for {
		s.mu.Lock()
		if strings.Contains(s.buf.String(), text) {
			s.mu.Unlock()
			return true
		}
		if s.more == nil {
			s.more = make(chan struct{})
		}
		more := s.more
		s.mu.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
			return false
		}
	}
}

// String returns the output so far.
func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// built builds the command and returns its path.
func built(t *testing.T, dir string) string {
	t.Helper()
	const source = "../../../cmd/glasstty"
	// Stat every source file, so that the test cache notices changes to the command.
	err := filepath.WalkDir(source, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "glasstty")
	if out, err := exec.Command("go", "build", "-o", path, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// command returns a glasstty command with the given arguments and the test's own
// environment.
func (s *site) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.dir, "glasstty"), args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "XDG_RUNTIME_DIR=" + s.dir, recordVar + "=" + s.record, "GLASSTTY_LOG_LEVEL=debug"}
	return cmd
}

// newSite starts the server, and the stand-in through an agent that has the full token.
func newSite(t *testing.T) *site {
	t.Helper()
	dir, err := os.MkdirTemp("", "gt") // short, as the length of a socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	s := &site{T: t, dir: dir, socket: filepath.Join(dir, "run", "s"), record: filepath.Join(dir, "record"), log: filepath.Join(dir, "audit.log"), tokens: filepath.Join(dir, "tokens"), stderr: &said{}}
	built(t, dir)
	list := readToken + " scope=read\n" + watchToken + " scope=watch\n" + oldToken + " expires=2001-02-03T04:05:06Z\n"
	if err := os.WriteFile(s.tokens, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	s.start()
	s.connect()
	return s
}

// start starts the server and waits until it listens.
func (s *site) start() {
	s.Helper()
	cmd := s.command("serve", "--port", "0", "--socket", s.socket, "--data-dir", filepath.Join(s.dir, "data"), "--token-file", s.tokens, "--audit-log", s.log)
	cmd.Env = append(cmd.Env, "GLASSTTY_TOKEN="+fullToken)
	cmd.Stderr = s.stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.Fatal(err)
	}
	s.pid = cmd.Process.Pid
	lines := bufio.NewScanner(out)
	for s.addr == "" && lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "listening on http://"); ok {
			s.addr = strings.TrimSuffix(rest, "/mcp")
		}
	}
	go io.Copy(io.Discard, out) // until it ends
	s.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			s.Error(err)
		}
		limit := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		defer limit.Stop()
		if err := cmd.Wait(); err != nil {
			s.Errorf("the server ended with %v:\n%s", err, s.stderr)
		}
		if alive := syscall.Kill(s.child, 0); s.child != 0 && alive == nil {
			s.Errorf("process %d is left behind", s.child)
		}
	})
	if s.addr == "" {
		s.Fatalf("the server does not listen:\n%s", s.stderr)
	}
}

// withToken adds the agent's token to requests.
type withToken struct{}

// RoundTrip implements http.RoundTripper.
func (withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+fullToken)
	return http.DefaultTransport.RoundTrip(r)
}

// connect starts the stand-in, verifies that it is this binary, and makes it show the
// text that must stay secret.
func (s *site) connect() {
	s.Helper()
	self, err := os.Executable()
	if err != nil {
		s.Fatal(err)
	}
	bash := filepath.Join(s.dir, "bash")
	if err := os.Symlink(self, bash); err != nil {
		s.Fatal(err)
	}
	tr := &mcp.StreamableClientTransport{Endpoint: "http://" + s.addr + "/mcp", HTTPClient: &http.Client{Transport: withToken{}}}
	ctx := context.WithoutCancel(s.Context())
	s.agent, err = mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, tr, nil)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { s.agent.Close() })
	res := s.call("start_process", map[string]any{"command": bash, "name": "victim", "marks": false, "timeout": 20})
	if res.IsError {
		s.Fatal(text(res))
	}
	info := res.StructuredContent.(map[string]any)
	s.session, s.child = info["session_id"].(string), int(info["pid"].(float64))
	(&rig{T: s.T}).mustBeUs(s.child, self)
	s.call("send_and_read", map[string]any{"session_id": s.session, "text": ": " + shown, "press_enter": true, "timeout": 5})
}

// call calls a tool as the agent.
func (s *site) call(tool string, args map[string]any) *mcp.CallToolResult {
	s.Helper()
	res, err := s.agent.CallTool(s.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		s.Fatalf("%s %v: %v", tool, args, err)
	}
	return res
}

// A knock is an attacker's HTTP request.
type knock struct {
	method, target string
	header         []string // "Name: value"; replaces a default header of the same name
	body           string
	raw            bool // the first header is the whole request
}

// An answer is the response to a knock. The status is 0 if the server closed the
// connection.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a knock from a new address, because the server counts wrong guesses per
// address.
func (s *site) send(k knock) answer {
	s.Helper()
	s.knocks++
	conn, err := s.dial()
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(k.bytes(s.addr)); err != nil {
		return answer{}
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: k.method})
	if err != nil {
		return answer{}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil && res.StatusCode == http.StatusOK && !strings.Contains(err.Error(), "timeout") {
		s.Logf("answer of %s %s: %v", k.method, k.target, err)
	}
	return answer{res.StatusCode, res.Header, string(body)}
}

// dial connects to the server, with a deadline of one minute.
func (s *site) dial() (net.Conn, error) {
	from := &net.TCPAddr{IP: net.IPv4(127, 9, byte(s.knocks>>8), byte(s.knocks))}
	conn, err := (&net.Dialer{LocalAddr: from, Timeout: time.Minute}).Dial("tcp", s.addr)
	if err == nil {
		err = conn.SetDeadline(time.Now().Add(time.Minute))
	}
	return conn, err
}

// bytes returns a knock in wire format.
func (k knock) bytes(addr string) []byte {
	usual := []string{"Host: " + addr, "Content-Length: " + strconv.Itoa(len(k.body)), "Connection: close"}
	if k.body != "" {
		usual = append(usual, "Content-Type: application/json", "Accept: application/json, text/event-stream")
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", k.method, k.target)
	for _, line := range usual {
		name, _, _ := strings.Cut(line, ":")
		given := k.raw
		for _, own := range k.header {
			given = given || strings.EqualFold(strings.TrimSpace(own[:max(strings.IndexByte(own, ':'), 0)]), name)
		}
		if !given {
			b.WriteString(line + "\r\n")
		}
	}
	for _, line := range k.header {
		if line = strings.ReplaceAll(line, "ADDR", addr); !strings.HasSuffix(line, ": -") { // "Host: -" omits the header
			b.WriteString(line + "\r\n")
		}
	}
	b.WriteString("\r\n" + k.body)
	return b.Bytes()
}

// rpc returns a knock that calls a tool, without authorization unless it is in header.
func rpc(tool string, args map[string]any, header ...string) knock {
	params := map[string]any{"name": tool, "arguments": args, "_meta": map[string]any{
		"io.modelcontextprotocol/protocolVersion":    newest,
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "stranger", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
	if err != nil {
		panic(err) // a bug in the test
	}
	header = append([]string{"Mcp-Protocol-Version: " + newest, "Mcp-Method: tools/call", "Mcp-Name: " + tool}, header...)
	return knock{method: "POST", target: "/mcp", header: header, body: string(body)}
}

// strangers requests the victim's screen and types into it, with the given headers. It
// returns both answers.
func (s *site) strangers(header ...string) []answer {
	s.Helper()
	return []answer{
		s.send(rpc("snapshot", map[string]any{"session_id": s.session}, header...)),
		s.send(rpc("send_input", map[string]any{"session_id": s.session, "text": owned + "\r"}, header...)),
	}
}

// refused fails the test unless each answer has one of the statuses (0 for a closed
// connection) and reveals nothing.
func (s *site) refused(t *testing.T, answers []answer, statuses ...int) {
	t.Helper()
	for _, a := range answers {
		ok := false
		for _, want := range statuses {
			ok = ok || a.status == want
		}
		if !ok {
			t.Errorf("status %d, want one of %d: %s", a.status, statuses, clipped(a.body))
		}
		s.tellsNothing(t, a)
	}
}

// tellsNothing fails the test if an answer contains text from the screen or a token.
func (s *site) tellsNothing(t *testing.T, a answer) {
	t.Helper()
	all := a.body + fmt.Sprint(a.header)
	for _, secret := range []string{shown, fullToken, readToken, watchToken, "victim"} {
		if strings.Contains(all, secret) {
			t.Errorf("the answer with status %d contains %q: %s", a.status, secret, clipped(all))
		}
	}
}

// clipped shortens a text for an error message.
func clipped(text string) string { return text[:min(len(text), 300)] }

// untouched fails the test if an attacker's input reached the program or the victim's
// process is gone.
func (s *site) untouched(t *testing.T) {
	t.Helper()
	for _, line := range reached(t, s.record) {
		if strings.Contains(line, owned) {
			t.Errorf("%q reached the program", line)
		}
	}
	if err := syscall.Kill(s.child, 0); err != nil {
		t.Errorf("the program is gone: %v", err)
	}
}
