package fleet

import (
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

// bearer shows a token with each request.
type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestScope lets a token that only reads look at another node, and take nothing there
// from the agent.
func TestScope(t *testing.T) {
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

	url := regexp.MustCompile(`http://\S+/mcp`).FindString(gate.said())
	client, err := mcp.NewClient(&mcp.Implementation{Name: "reader", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(reads)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	call := func(tool string, a args) *mcp.CallToolResult {
		res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: a})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if res := call("wait_for", args{"session_id": id, "pattern": "(?m)^seen"}); res.IsError || !strings.Contains(peer.Text(res), "seen") {
		t.Errorf("who reads sees %q", peer.Text(res))
	}
	if res := call("send_input", args{"session_id": id, "text": "x"}); !res.IsError || !strings.Contains(peer.Text(res), "may look and not touch") {
		t.Errorf("who reads types: %q", peer.Text(res))
	}
	if _, data := gate.call("read_output", args{"session_id": id}); !strings.Contains(data["output"].(string), "seen") {
		t.Errorf("the agent's output was taken: %v", data)
	}
	said, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"via":"fleet"`, `"who":"reader"`, "gateway gate, http 127.0.0.1", `"client":"reader 1"`} {
		if !strings.Contains(string(said), want) {
			t.Errorf("the node's audit log has no %s:\n%s", want, said)
		}
	}
}
