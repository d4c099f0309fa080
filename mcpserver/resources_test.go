package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
)

// TestResources tests listing, reading, completing and following the resources of a
// session.
func TestResources(t *testing.T) {
	t.Parallel()
	for _, version := range []string{lastStateful, ""} {
		t.Run("protocol"+version, func(t *testing.T) { resources(t, version) })
	}
}

// checkPrompts checks the MCP prompt that the server advertises.
func checkPrompts(t *testing.T, c *mcp.ClientSession) {
	list, err := c.ListPrompts(t.Context(), nil)
	if err != nil || len(list.Prompts) != 1 || list.Prompts[0].Name != promptScreen {
		t.Fatalf("prompts: %v %+v", err, list)
	}
	got, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: promptScreen, Arguments: map[string]string{"session_id": "res"}})
	if err != nil || len(got.Messages) != 2 {
		t.Fatalf("prompt: %v %+v", err, got)
	}
	screen, ok := got.Messages[1].Content.(*mcp.EmbeddedResource)
	if !ok || screen.Resource.URI != "cli://res/screen" || !strings.Contains(screen.Resource.Text, "$ echo hello\nhello") {
		t.Errorf("content of the prompt: %+v", got.Messages[1].Content)
	}
	if _, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: promptScreen, Arguments: map[string]string{"session_id": "s9"}}); err == nil {
		t.Error("no error for the prompt of an unknown session")
	}
	completed, err := c.Complete(t.Context(), &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: promptScreen},
		Argument: mcp.CompleteParamsArgument{Name: "session_id", Value: "re"},
	})
	if err != nil || len(completed.Completion.Values) != 1 || completed.Completion.Values[0] != "res" {
		t.Errorf("completed to %+v, %v", completed, err)
	}
}

func resources(t *testing.T, version string) {
	s, err := New(manager(t), Options{Structured: StructuredOn})
	if err != nil {
		t.Fatal(err)
	}
	updated := make(chan string, 100)
	c := connectVersion(t, "test", s, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
	}, version)
	id := start(t, c, shell(t, map[string]any{"name": "res"}))
	call1(t, c, "send_and_read", map[string]any{"session_id": id, "text": "echo hello", "press_enter": true})

	list, err := c.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 3 || list.Resources[1].URI != "cli://s1/screen" || list.Resources[1].Title != "res: screen" {
		t.Fatalf("resources: %v %+v", err, list)
	}
	templates, err := c.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 3 {
		t.Errorf("templates: %v %+v", err, templates)
	}
	for uri, want := range map[string]string{
		"cli://s1/screen":   "$ echo hello\nhello\n$",
		"cli://res/history": "[m0 input]\necho hello\n[m1 output]\nhello\n",
	} {
		if got := readText(t, c, uri); got != want {
			t.Errorf("%s: %q, want %q", uri, got, want)
		}
	}
	checkCast(t, readText(t, c, "cli://s1/recording"))
	checkPrompts(t, c)
	for _, uri := range []string{"cli://s9/screen", "cli://s1/sound", "cli://s1", "cli://../screen", "file:///etc/passwd"} {
		if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("no error for reading %s", uri)
		}
		// In the newest protocol a client is not told of a refused subscription.
		ours := strings.HasPrefix(uri, uriScheme)
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err == nil && ours && version != "" {
			t.Errorf("no error for subscribing to %s", uri)
		}
	}
	completed, err := c.Complete(t.Context(), &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: "cli://{session_id}/screen"},
		Argument: mcp.CompleteParamsArgument{Name: "session_id", Value: "r"},
	})
	if err != nil || fmt.Sprint(completed.Completion.Values) != "[res]" {
		t.Errorf("completion: %v %+v", err, completed)
	}
	followed(t, c, s, updated)
}

// followed subscribes to the screen, changes it many times and unsubscribes. It checks the
// number of updates.
func followed(t *testing.T, c *mcp.ClientSession, s *Server, updated <-chan string) {
	const uri = "cli://res/screen"
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	call1(t, c, "send_and_read", map[string]any{
		"session_id": "res", "text": "for i in $(seq 1 100); do echo $i; sleep 0.005; done", "press_enter": true, "timeout": patience.Seconds(),
	})
	if got := <-updated; got != uri {
		t.Errorf("update of %s", got)
	}
	n := 1
	for len(updated) > 0 {
		<-updated
		n++
	}
	took := time.Since(began)
	if most := int(took/notifyEvery) + 1; n > most {
		t.Errorf("%d updates in %v, want at most %d", n, took, most)
	}
	for _, u := range []string{uri, "file:///etc/passwd"} {
		if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: u}); err != nil {
			t.Error(err)
		}
	}
	// In the newest protocol a subscription ends some time after the call.
	for deadline := time.Now().Add(patience); s.watching() > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("%d watches are left", s.watching())
		}
		time.Sleep(time.Millisecond)
	}
}

// TestSubscriptionGone checks that a client is notified if a session that it follows is
// deleted, and that its subscriptions end.
func TestSubscriptionGone(t *testing.T) {
	s, err := New(manager(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	updated := make(chan string, 100)
	c := connectVersion(t, "test", s, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
	}, lastStateful)
	id := start(t, c, a{"command": need.Program(t, "sleep"), "args": []any{"1000"}, "until": "none"})
	for _, kind := range []string{"screen", "history"} {
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "cli://" + id + "/" + kind}); err != nil {
			t.Fatal(err)
		}
	}
	call1(t, c, "terminate_process", a{"session_id": id, "delete": true})
	told := map[string]bool{}
	for limit := time.After(patience); len(told) < 2 || s.watching() > 0; {
		select {
		case uri := <-updated:
			told[uri] = true
		case <-time.After(time.Millisecond):
		case <-limit:
			t.Fatalf("notified of %v; %d watches are left", told, s.watching())
		}
	}
}

// TestSubscriptionLimit checks that each client has a limit of its own for subscriptions,
// and that closing a client ends its subscriptions.
func TestSubscriptionLimit(t *testing.T) {
	s, err := New(manager(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := connectVersion(t, "test", s, nil, lastStateful)
	gone := connectVersion(t, "test", s, nil, lastStateful)
	subscribe := func(c *mcp.ClientSession, uri string) error {
		return c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri})
	}
	for i := range maxClientSubscriptions {
		for range 2 { // a repeated subscription does not count
			if err := subscribe(c, fmt.Sprintf("x:%d", i)); err != nil {
				t.Fatalf("subscription %d: %v", i, err)
			}
		}
	}
	if err := subscribe(c, "x:more"); err == nil || !strings.Contains(err.Error(), "unsubscribe from some") {
		t.Fatalf("one more: %v", err)
	}
	if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: "x:0"}); err != nil {
		t.Fatal(err)
	}
	if err := subscribe(c, "x:more"); err != nil {
		t.Fatalf("after unsubscribing: %v", err)
	}
	if err := subscribe(gone, "x:first"); err != nil {
		t.Fatalf("another client: %v", err)
	}
	if err := gone.Close(); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(patience); s.watching() != maxClientSubscriptions; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the subscription of a closed client is left")
		}
	}
}

// TestSubscriptionShares checks that with all subscriptions in use a new client can still
// subscribe: the client with the most subscriptions loses one.
func TestSubscriptionShares(t *testing.T) {
	s, err := New(manager(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	const clients = maxSubscriptions / maxClientSubscriptions
	for n := range clients + 1 {
		c := connectVersion(t, "test", s, nil, lastStateful)
		for i := range maxClientSubscriptions {
			if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: fmt.Sprintf("x:%d/%d", n, i)}); err != nil {
				t.Fatalf("client %d, subscription %d: %v", n, i, err)
			}
		}
	}
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	if n := s.subs.shares.Len(); n != maxSubscriptions || len(s.subs.clients) != clients+1 {
		t.Errorf("%d subscriptions of %d clients", n, len(s.subs.clients))
	}
	for _, n := range s.subs.clients {
		if fair := maxSubscriptions / (clients + 1); n < fair-1 || n > fair+1 {
			t.Errorf("a client has %d subscriptions, want about %d", n, fair)
		}
	}
}

// watching returns how many subscriptions and followed resources there are.
func (s *Server) watching() int {
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	return s.subs.shares.Len() + len(s.subs.follows)
}

// readText reads a text resource.
func readText(t *testing.T, c *mcp.ClientSession, uri string) string {
	t.Helper()
	res, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatalf("%s: %v", uri, err)
	}
	if res.CacheScope != "private" {
		t.Errorf("%s may be cached for others: %q", uri, res.CacheScope)
	}
	return res.Contents[0].Text
}

// checkCast checks an asciicast of a shell that was typed "echo hello".
func checkCast(t *testing.T, cast string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(cast), "\n")
	var head struct {
		Version int
		Term    struct{ Cols, Rows int }
	}
	if err := json.Unmarshal([]byte(lines[0]), &head); err != nil || head.Version != 3 || head.Term.Cols != 80 || head.Term.Rows != 24 {
		t.Errorf("header %s: %v", lines[0], err)
	}
	text := map[string]string{}
	for _, l := range lines[1:] {
		var e []any
		if err := json.Unmarshal([]byte(l), &e); err != nil || len(e) != 3 || e[0].(float64) < 0 {
			t.Errorf("event %s: %v", l, err)
			continue
		}
		text[e[1].(string)] += e[2].(string)
	}
	if text["i"] != "echo hello\r" || !strings.Contains(text["o"], "hello\r\n") {
		t.Errorf("typed %q, shown %q", text["i"], text["o"])
	}
}

// TestResourceWithoutText checks that the history of a session without input and an empty
// screen still have text, as the protocol requires.
func TestResourceWithoutText(t *testing.T) {
	c := connect(t, "test", manager(t), Options{})
	start(t, c, a{"command": need.Program(t, "sleep"), "args": []any{"1000"}, "until": "none"})
	for _, kind := range []string{"history", "screen"} {
		got, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "cli://s1/" + kind})
		if err != nil || len(got.Contents) != 1 || got.Contents[0].Text == "" {
			t.Errorf("%s: %+v, %v", kind, got, err)
		}
	}
}

// TestLongCommandLine checks that list_sessions shortens a long command line.
func TestLongCommandLine(t *testing.T) {
	t.Parallel()
	c := connect(t, "test", manager(t), Options{})
	start(t, c, a{"command": need.Program(t, "sleep"), "args": []any{strings.Repeat("1", 100_000)}, "until": "none"})
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_sessions"})
	if err != nil || len(ResultText(res)) > 2*maxCommandLine {
		t.Errorf("%v, %d bytes: %.100s", err, len(ResultText(res)), ResultText(res))
	}
}
