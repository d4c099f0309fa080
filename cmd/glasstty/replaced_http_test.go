package main

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
)

// TestReplacedHTTP replaces a server that has HTTP clients. A client of the newest version
// continues without noticing. One with an MCP session is told at once that the session is
// gone (2025-11-25, transports), and continues after it has initialized a new one. The
// error may reach the client's standing stream first: the SDK's client then closes and
// rejects later calls.
func TestReplacedHTTP(t *testing.T) {
	need.Program(t, "cat")
	t.Parallel()
	dir := t.TempDir()
	first := serveWith(t, dir, httpToken, "--port", "0")
	agents := map[string]*agent{newest: first.agent(httpToken, newest, nil), sessions: first.agent(httpToken, sessions, nil)}
	for way, a := range agents {
		a.call("start_process", args{"command": "cat", "name": "cat-" + way})
	}
	at, err := url.Parse(first.url)
	if err != nil {
		t.Fatal(err)
	}
	second := serveWith(t, dir, httpToken, "--replace", "--port", at.Port())
	if second.url != first.url {
		t.Fatalf("the next server listens on %s, want %s", second.url, first.url)
	}
	if said := agents[newest].line("cat-"+newest, "still here").Text; !strings.Contains(said, "still here") {
		t.Errorf("%s: %q", newest, said)
	}
	look := args{"session_id": "cat-" + sessions}
	if _, err := agents[sessions].try("snapshot", look); !errors.Is(err, mcp.ErrSessionMissing) {
		agents[sessions].session.Close() // so that Wait returns the reason
		if gone := agents[sessions].session.Wait(); !errors.Is(gone, mcp.ErrSessionMissing) {
			t.Errorf("%s: error %v, closed with %v, want %v", sessions, err, gone, mcp.ErrSessionMissing)
		}
	}
	if said := second.agent(httpToken, sessions, nil).line("cat-"+sessions, "still here").Text; !strings.Contains(said, "still here") {
		t.Errorf("%s, initialized again: %q", sessions, said)
	}
}
