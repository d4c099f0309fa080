package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/glasstty/glasstty/session"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// connect connects a client with this name to a server with these options.
func connect(t *testing.T, name string, mgr *session.Manager, o Options) *mcp.ClientSession {
	t.Helper()
	s, err := New(mgr, o)
	if err != nil {
		t.Fatal(err)
	}
	return connectTo(t, name, s, nil)
}

// connectTo connects a client to s over in-memory transports, with the newest protocol
// version that both support.
func connectTo(t *testing.T, name string, s *Server, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	return connectVersion(t, name, s, o, "")
}

// lastStateful is the last protocol version with an initialize handshake.
const lastStateful = "2025-11-25"

// connectVersion is connectTo with a given protocol version.
func connectVersion(t *testing.T, name string, s *Server, o *mcp.ClientOptions, version string) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	// The test's own context ends before the cleanup closes the connection.
	ctx := context.WithoutCancel(t.Context())
	server, err := s.MCP().Connect(ctx, here, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, o).Connect(ctx, there, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Stop()
		// A notification may be in flight when the client closes.
		if err := client.Close(); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
		if err := server.Wait(); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
	})
	return client
}

// golden compares got with a file in testdata.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got), run with -update and read the diff:\n%s", path, diff)
	}
}

// indent writes v as indented JSON that people can read.
func indent(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestToolsGolden(t *testing.T) {
	for _, tool := range allTools() {
		golden(t, "tools/"+tool.name+".json", indent(t, tool.define(forModel)))
	}
	golden(t, "instructions.txt", []byte(instructions+"\n"))
}

// separators counts the commas and colons between the values of raw.
func separators(t *testing.T, raw []byte) int {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	var count func(any) int
	count = func(v any) int {
		n := 0
		switch v := v.(type) {
		case map[string]any:
			n = 2*len(v) - 1
			for _, e := range v {
				n += count(e)
			}
		case []any:
			n = len(v) - 1
			for _, e := range v {
				n += count(e)
			}
		}
		return max(n, 0)
	}
	return count(v)
}

// TestTokens checks that the tools and the instructions stay within their token budgets,
// counting a token as four characters.
func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		tools []string
		max   int
	}{{nil, 6000}, {[]string{ToolsCore}, 3000}} {
		c := connect(t, "test", nil, Options{Structured: StructuredOff, Tools: tt.tools})
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		n := len([]rune(string(raw)))
		// Some clients write a space after each comma and colon.
		spaced := (n + separators(t, raw)) / 4
		t.Logf("tools %v: %d tools, %d tokens, %d with spaces", tt.tools, len(list.Tools), n/4, spaced)
		if spaced > tt.max {
			t.Errorf("tools %v take %d tokens, want at most %d", tt.tools, spaced, tt.max)
		}
	}
	if n := len([]rune(instructions)) / 4; n >= 400 {
		t.Errorf("instructions take %d tokens, want fewer than 400", n)
	} else {
		t.Logf("instructions: %d tokens", n)
	}
}
