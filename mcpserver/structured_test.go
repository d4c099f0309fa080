package mcpserver

import (
	"testing"

	"github.com/glasstty/glasstty/session"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestStructured checks which clients get structured content and output schemas.
func TestStructured(t *testing.T) {
	mgr := session.NewManager(session.Options{})
	t.Cleanup(func() {
		if err := mgr.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, tt := range []struct {
		client string
		opt    Structured
		want   bool
	}{
		{"claude-code", "", false},
		{"claude-code", StructuredOn, true},
		{"Cursor", StructuredAuto, true},
		{"Cursor", StructuredOff, false},
	} {
		for _, version := range []string{lastStateful, ""} {
			structured(t, mgr, tt.client, tt.opt, version, tt.want)
		}
	}
}

// structured checks the tools and an answer for one client.
func structured(t *testing.T, mgr *session.Manager, client string, opt Structured, version string, want bool) {
	t.Helper()
	s, err := New(mgr, Options{Structured: opt})
	if err != nil {
		t.Fatal(err)
	}
	c := connectVersion(t, client, s, nil, version)
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if (tool.OutputSchema != nil) != want {
			t.Errorf("%s, %q: %s has output schema %v", client, opt, tool.Name, tool.OutputSchema != nil)
		}
	}
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_sessions"})
	if err != nil {
		t.Fatal(err)
	}
	if (res.StructuredContent != nil) != want || ResultText(res) != "[no sessions; start_process starts one]" {
		t.Errorf("%s, %q: %+v %q", client, opt, res.StructuredContent, ResultText(res))
	}
}
