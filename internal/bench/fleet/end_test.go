package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// A rawClient is an MCP session over HTTP. It can end in ways that the SDK's client does not
// support.
type rawClient struct {
	t         *testing.T
	url       string
	token, id string
}

// openRaw opens an MCP session on a server's HTTP port.
func (p *process) openRaw(t *testing.T, token string) *rawClient {
	t.Helper()
	c := &rawClient{t: t, url: regexp.MustCompile(`http://\S+/mcp`).FindString(p.said()), token: token}
	res, err := c.send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	c.id = res.Header.Get("Mcp-Session-Id")
	return c
}

// send sends a request. The caller must close the response body.
func (c *rawClient) send(ctx context.Context, verb, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, verb, c.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.id != "" {
		req.Header.Set("Mcp-Session-Id", c.id)
	}
	return http.DefaultClient.Do(req)
}

// call calls a tool and returns the server's answer.
func (c *rawClient) call(ctx context.Context, tool string, a args) string {
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": a})
	if err != nil {
		c.t.Error(err)
	}
	res, err := c.send(ctx, http.MethodPost, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":`+string(params)+`}`)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return fmt.Sprintf("%s, %v", text, err)
}

// TestClientEnds checks that a call on a node ends when the gateway's client ends, in several
// ways: the call types no more, and its output stays unread.
func TestClientEnds(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	const token = "a-token-of-thirty-two-characters-or-more"
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte(token+" name=one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	gate := startNode(t, nats.ClientURL(), "gate", "--gateway", "--http", "--port", "0", "--token-file", tokens)
	startNode(t, nats.ClientURL(), "node")
	gate.knows("node")
	for _, tt := range []struct {
		name string
		// begin returns two functions: call makes a call of run_steps and returns the client's
		// answer, and end ends the client.
		begin func(a args) (call func() string, end func())
		says  string
	}{
		{"ctrl+c", func(a args) (func() string, func()) {
			steps, err := json.Marshal(a["steps"])
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(binary, "call", "--socket", gate.socket, "run_steps", "session_id="+a["session_id"].(string), "steps:="+string(steps))
			var out strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			return func() string { _ = cmd.Wait(); return out.String() }, func() { cmd.Process.Signal(syscall.SIGINT) } // its answer says how it ended
		}, ""},
		{"connection", func(a args) (func() string, func()) {
			c := gate.openRaw(t, token)
			ctx, cancel := context.WithCancel(t.Context())
			return func() string { return c.call(ctx, "run_steps", a) }, cancel
		}, "canceled"},
		{"DELETE", func(a args) (func() string, func()) {
			c := gate.openRaw(t, token)
			return func() string { return c.call(t.Context(), "run_steps", a) }, func() {
				if res, err := c.send(t.Context(), http.MethodDelete, ""); err != nil {
					t.Error(err)
				} else {
					res.Body.Close()
				}
			}
		}, "the client ended its MCP session"},
		{"token", func(a args) (func() string, func()) {
			c := gate.openRaw(t, token)
			return func() string { return c.call(t.Context(), "run_steps", a) }, func() {
				if err := os.WriteFile(tokens, []byte("another-"+token+"\n"), 0o600); err != nil {
					t.Error(err)
				}
			}
		}, ""},
	} {
		id := gate.start("node")
		lines := filepath.Join(t.TempDir(), "lines")
		var steps []args
		for n := 1; n <= 3; n++ {
			steps = append(steps, args{"text": fmt.Sprintf("echo %d >> %s; sleep 2; echo END\"\"%d", n, lines, n), "press_enter": true, "wait_for": fmt.Sprintf("END%d", n)})
		}
		typed := func() string {
			b, err := os.ReadFile(lines)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			return string(b)
		}
		call, end := tt.begin(args{"session_id": id, "steps": steps})
		ended := make(chan string, 1)
		go func() { ended <- call() }()
		gate.await(tt.name+": the first step", func() bool { return typed() != "" })
		end()
		select {
		case text := <-ended:
			if !strings.Contains(text, tt.says) {
				t.Errorf("%s: the client got %q, want %q", tt.name, text, tt.says)
			}
		case <-time.After(patience):
			t.Fatalf("%s: the client does not return", tt.name)
		}
		_, data := gate.call("wait_for", args{"session_id": id, "pattern": "END1", "timeout": 30})
		if out := data["output"].(string); data["reason"] != "matched" || !strings.Contains(out, "END1") {
			t.Errorf("%s: the output is no longer unread: %v", tt.name, data)
		}
		time.Sleep(3 * time.Second) // longer than one step
		if got := typed(); got != "1\n" {
			t.Errorf("%s: typed %q, want only the first step", tt.name, got)
		}
	}
}

// TestUnreceived checks that a call on a node continues when its gateway is killed, and that its
// output becomes unread again because no client received it.
func TestUnreceived(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	gate := startNode(t, nats.ClientURL(), "gate", "--gateway")
	node := startNode(t, nats.ClientURL(), "node")
	gate.knows("node")
	id := gate.start("node")
	lines := filepath.Join(t.TempDir(), "lines")
	go gate.invoke(context.Background(), "send_and_read", args{"session_id": id, "text": "echo x > " + lines + "; sleep 2; echo AB\"\"AND", "press_enter": true, "wait_for": "ABAND", "timeout": 30})
	gate.await("the line", func() bool {
		_, err := os.Stat(lines)
		return err == nil
	})
	gate.cmd.Process.Kill()
	local := strings.TrimPrefix(id, "node/")
	node.await("the end of the call", func() bool {
		text, _ := node.call("snapshot", args{"session_id": local})
		return strings.Contains(text, "ABAND\n")
	})
	time.Sleep(time.Second) // wait for the call to end
	if _, data := node.call("read_output", args{"session_id": local}); !strings.Contains(data["output"].(string), "ABAND") {
		t.Errorf("after the gateway was killed, the output is %v", data)
	}
}
