package fleet

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// bearer is a transport that sends a token with each request.
type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// withToken connects a client over HTTP, and returns a function that calls its tools.
func (p *process) withToken(token, name string) (call func(tool string, a args) *mcp.CallToolResult, err error) {
	url := regexp.MustCompile(`http://\S+/mcp`).FindString(p.said())
	client, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil).Connect(context.Background(),
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}, nil)
	if err != nil {
		return nil, err
	}
	p.t.Cleanup(func() { client.Close() })
	return func(tool string, a args) *mcp.CallToolResult {
		p.t.Helper()
		res, err := client.CallTool(p.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: a})
		if err != nil {
			p.t.Fatal(err)
		}
		return res
	}, nil
}

// TestScope checks that a read token can look at a session on another node, but cannot type, and
// does not consume the agent's output.
func TestScope(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	tokens := filepath.Join(t.TempDir(), "tokens")
	const reads = "reads-and-does-nothing-else"
	if err := os.WriteFile(tokens, []byte(reads+" scope=read name=reader\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	gate := startNode(t, nats.ClientURL(), "gate", "--gateway", "--http", "--port", "0", "--token-file", tokens)
	log := filepath.Join(t.TempDir(), "audit")
	startNode(t, nats.ClientURL(), "node", "--audit-log", log)
	gate.knows("node")
	id := gate.start("node")
	gate.call("send_input", args{"session_id": id, "text": "echo seen", "press_enter": true})

	call, err := gate.withToken(reads, "reader")
	if err != nil {
		t.Fatal(err)
	}
	if res := call("wait_for", args{"session_id": id, "pattern": "(?m)^seen"}); res.IsError || !strings.Contains(peer.Text(res), "seen") {
		t.Errorf("wait_for with the read token answers %q", peer.Text(res))
	}
	if res := call("send_input", args{"session_id": id, "text": "x"}); !res.IsError || !strings.Contains(peer.Text(res), "may only watch") {
		t.Errorf("typing with a read token: %q, want an error", peer.Text(res))
	}
	if _, data := gate.call("read_output", args{"session_id": id}); !strings.Contains(data["output"].(string), "seen") {
		t.Errorf("the agent's output was consumed: %v", data)
	}
	said, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"via":"fleet"`, `"who":"reader"`, "gateway gate, http 127.0.0.1", `"client":"reader 1"`} {
		if !strings.Contains(string(said), want) {
			t.Errorf("the node's audit log does not contain %s:\n%s", want, said)
		}
	}
}

// TestHosts checks that a token that is limited to hosts allows only these.
func TestHosts(t *testing.T) {
	t.Parallel()
	url := startNATS(t, server.Options{}).ClientURL()
	tokens := filepath.Join(t.TempDir(), "tokens")
	made, err := command("token", "--file", tokens, "--hosts", "build*").CombinedOutput()
	token := strings.TrimSpace(string(made))
	if err != nil {
		t.Fatal(err, token)
	}
	gate := startNode(t, url, "gate", "--gateway", "--place", "build*", "--http", "--port", "0", "--token-file", tokens)
	startNode(t, url, "build7")
	desk := startNode(t, url, "desk", "--http", "--port", "0", "--token-file", tokens)
	gate.knows("build7", "desk")
	gate.start("desk")
	call, err := gate.withToken(token, "limited")
	if err != nil {
		t.Fatal(err)
	}
	// A host that the token does not allow is refused like one that does not exist.
	for _, tt := range []struct {
		tool string
		args func(host string) args
		want string
	}{
		{"start_process", func(h string) args { return args{"command": "cat", "host": h} }, `limited to the hosts "build*", which do not include "HOST"`},
		{"snapshot", func(h string) args { return args{"session_id": h + "/s1"} }, `limited to the hosts "build*", which do not include "HOST"`},
		{"list_sessions", func(h string) args { return args{"host": h} }, `among the hosts "build*"`},
		{"start_process", func(h string) args { return args{"command": "cat", "host": h + "*"} }, `among the hosts "build*"`},
	} {
		var said []string
		for _, host := range []string{"desk", "nowhere"} {
			res := call(tt.tool, tt.args(host))
			said = append(said, strings.ReplaceAll(peer.Text(res), host, "HOST"))
			if !res.IsError || !strings.Contains(said[0], tt.want) {
				t.Errorf("%s answers %q; want %q", tt.tool, said, tt.want)
			}
		}
		if said[0] != said[1] {
			t.Errorf("%s: the error reveals whether the host exists: %q", tt.tool, said)
		}
	}
	for tool, a := range map[string]args{
		"start_process": {"command": "cat", "host": "d*"},
		"snapshot":      {"session_id": "build8/s1"},
	} {
		text := peer.Text(call(tool, a))
		if !strings.Contains(text, `the hosts "build*"`) || !strings.Contains(text, "there are build7 (") || strings.Contains(text, "desk") {
			t.Errorf("%s with a host that does not exist or is not allowed: %q", tool, text)
		}
	}
	for _, host := range []string{"build7", "os=*", ""} { // without a host, --place decides
		a := args{"command": "cat"}
		if host != "" {
			a["host"] = host
		}
		if res := call("start_process", a); res.IsError || !strings.Contains(peer.Text(res), "[build7/s") {
			t.Errorf("host %q: %q", host, peer.Text(res))
		}
	}
	if text := peer.Text(call("list_sessions", nil)); !strings.Contains(text, "build7/s1") || strings.Contains(text, "desk") {
		t.Errorf("list_sessions answers\n%s", text)
	}
	if _, err := desk.withToken(token, "limited"); err == nil || !strings.Contains(desk.said(), "listening on http") {
		t.Errorf("node desk accepts the token: %v", err)
	}
	for _, hosts := range []string{"a b", "[", "=x"} {
		if out, err := command("token", "--file", tokens, "--hosts", hosts).CombinedOutput(); err == nil || !strings.Contains(string(out), "build*") {
			t.Errorf("--hosts %q: %v: %s", hosts, err, out)
		}
	}
}
