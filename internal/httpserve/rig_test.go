package httpserve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience is how long a test waits for something that should happen at once.
const patience = 30 * time.Second

// A rig is a server with two tools: wait, which ends when it is released or its context
// ends, and look, which only reads.
type rig struct {
	*Server
	t       *testing.T
	url     string
	addr    string
	started chan struct{} // gets a value for each wait that has begun
	ended   chan error    // the reason why each ended
	release chan struct{} // a wait that receives one ends normally
	nudge   chan struct{} // a wait that receives one reports progress
}

// newRig starts a server on a free port.
func newRig(t *testing.T, o Options) *rig {
	t.Helper()
	r := &rig{t: t, started: make(chan struct{}, 100), ended: make(chan error, 100), release: make(chan struct{}), nudge: make(chan struct{})}
	server := mcp.NewServer(&mcp.Implementation{Name: "rig", Version: "1"}, nil)
	stop, end := context.WithCancelCause(context.Background())
	wait := &mcp.Tool{Name: "wait", InputSchema: map[string]any{"type": "object"}}
	server.AddTool(wait, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r.started <- struct{}{}
		var err error
		for err == nil {
			select {
			case <-ctx.Done():
				err = context.Cause(ctx)
			case <-stop.Done():
				err = context.Cause(stop)
			case <-r.release:
				err = errors.New("released")
			case <-r.nudge:
				p := &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: 1}
				_ = req.Session.NotifyProgress(ctx, p) // the client may be disconnected
			}
		}
		r.ended <- err
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
	})
	look := &mcp.Tool{Name: "look", InputSchema: map[string]any{"type": "object"}, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}
	server.AddTool(look, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "seen"}}}, nil
	})
	o.MCP, o.Tools, o.StopCalls = server, map[string]bool{wait.Name: false, look.Name: true}, func() { end(errStopping) }
	if o.Host == "" {
		o.Host = "127.0.0.1"
	}
	var err error
	if r.Server, err = New(o); err != nil {
		t.Fatal(err)
	}
	l, err := r.Listen(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	r.url, r.addr = r.URL(l), l.Addr().String()
	served := make(chan error, 1)
	go func() { served <- r.Serve(l) }()
	t.Cleanup(func() {
		end(errStopping)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := r.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return r
}

// keys returns a keyring with one token of each kind: tokenFull, tokenRead, tokenOld,
// which has expired, and tokenHosts, which is limited to some hosts.
func keys(t *testing.T) *Keyring {
	t.Helper()
	full, err := NewToken(tokenFull)
	if err != nil {
		t.Fatal(err)
	}
	read, err := parseToken(tokenRead + " scope=read name=reader")
	if err != nil {
		t.Fatal(err)
	}
	old, err := parseToken(tokenOld + " expires=2001-02-03T04:05:06Z")
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := parseToken(tokenHosts + " hosts=build*")
	if err != nil {
		t.Fatal(err)
	}
	k, err := NewKeyring("", nil, full, read, old, hosts)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

const (
	tokenFull  = "full-0123456789abcdefgh"
	tokenRead  = "read-0123456789abcdefgh"
	tokenOld   = "old--0123456789abcdefgh"
	tokenHosts = "host-0123456789abcdefgh"
)

// ask sends a request and returns the status, header and body of the answer.
func (r *rig) ask(method, path, body string, header ...string) (int, http.Header, string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Add(header[i], header[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(data)
}

// bearer adds a token to the requests of an HTTP client.
type bearer string

// RoundTrip sends one request.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// client connects the SDK's client, over SSE or streamable HTTP. An empty version means
// the newest.
func (r *rig) client(token bearer, sse bool, version string) *mcp.ClientSession {
	r.t.Helper()
	var tr mcp.Transport = &mcp.StreamableClientTransport{Endpoint: r.url + "/mcp", HTTPClient: &http.Client{Transport: token}}
	if sse {
		tr = &mcp.SSEClientTransport{Endpoint: r.url + "/sse", HTTPClient: &http.Client{Transport: token}}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(r.t.Context(), tr, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// Bodies of requests.
const (
	initBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`
	waitBody = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait","arguments":{},"_meta":{"progressToken":"p"}}}`
	lookBody = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"look","arguments":{}}}`
	newBody  = `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"wait","arguments":{},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
)

// post returns the headers of every POST to /mcp, and more.
func post(more ...string) []string {
	return append([]string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}, more...)
}

// initialize opens an MCP session by hand and returns its ID.
func (r *rig) initialize(header ...string) string {
	r.t.Helper()
	status, h, body := r.ask("POST", "/mcp", initBody, post(header...)...)
	if status != 200 || h.Get(headerSession) == "" {
		r.t.Fatalf("initialize: %d %s", status, body)
	}
	return h.Get(headerSession)
}

// raw sends a request on a new connection, which the caller reads.
func (r *rig) raw(method, path, body string, header ...string) net.Conn {
	r.t.Helper()
	return r.begin(method, path, len(body), body, header...)
}

// begin is raw for a body of size bytes of which only the first part is sent.
func (r *rig) begin(method, path string, size int, body string, header ...string) net.Conn {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		r.t.Fatal(err)
	}
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n", method, path, r.addr, size)
	for i := 0; i < len(header); i += 2 {
		fmt.Fprintf(conn, "%s: %s\r\n", header[i], header[i+1])
	}
	fmt.Fprintf(conn, "\r\n%s", body)
	return conn
}

// begun waits until a wait has begun.
func (r *rig) begun() {
	r.t.Helper()
	select {
	case <-r.started:
	case <-time.After(patience):
		r.t.Fatal("no call began")
	}
}

// why waits until a wait has ended and returns its reason.
func (r *rig) why() error {
	r.t.Helper()
	select {
	case err := <-r.ended:
		return err
	case <-time.After(patience):
		r.t.Fatal("the call did not end")
	}
	return nil
}

// readUntil reads from conn until it has read want, and returns everything read.
func readUntil(t *testing.T, conn io.Reader, want string) string {
	t.Helper()
	var got strings.Builder
	var b [4096]byte
	for !strings.Contains(got.String(), want) {
		n, err := conn.Read(b[:])
		got.Write(b[:n])
		if err != nil && !strings.Contains(got.String(), want) {
			t.Fatalf("%v before %q; got %q", err, want, got.String())
		}
	}
	return got.String()
}
