package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// shell are the arguments that start a bash whose prompt is "$ ".
func shell(t *testing.T, more map[string]any) map[string]any {
	args := map[string]any{
		"command": need.Program(t, "bash"),
		"args":    []any{"--norc", "--noprofile"},
		"env":     map[string]any{"PS1": "$ "},
	}
	for k, v := range more {
		args[k] = v
	}
	return args
}

// TestProgress checks that a waiting call with a token reports at least every
// second, and one without a token is cut short.
func TestProgress(t *testing.T) {
	s, err := New(manager(t), Options{MaxBlock: 300 * time.Millisecond, Structured: StructuredOn})
	if err != nil {
		t.Fatal(err)
	}
	var (
		mu   sync.Mutex
		seen []*mcp.ProgressNotificationParams
	)
	c := connectTo(t, "test", s, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, r.Params)
		},
	})
	id := start(t, c, map[string]any{"command": need.Program(t, "sleep"), "args": []any{"60"}, "until": "none"})

	cut := call1(t, c, "wait_for", map[string]any{"session_id": id, "until": "exit"})
	notes := fmt.Sprint(cut["notes"])
	if cut["reason"] != "timeout" || !strings.Contains(notes, "stopped after 300 ms because the client asked for no progress; carry on with wait_for") {
		t.Errorf("without a token: %v, notes %s", cut["reason"], notes)
	}
	if len(seen) > 0 {
		t.Errorf("%d notifications without a token", len(seen))
	}

	p := &mcp.CallToolParams{Name: "wait_for", Arguments: map[string]any{"session_id": id, "until": "exit", "timeout": 2.0}}
	p.SetProgressToken("token")
	res, err := c.CallTool(t.Context(), p)
	if err != nil || res.IsError {
		t.Fatalf("%v %s", err, textOf(res))
	}
	mu.Lock()
	defer mu.Unlock()
	if len(seen) < 2 {
		t.Fatalf("%d notifications in 2 s", len(seen))
	}
	last := 0.0
	for _, n := range seen {
		if n.ProgressToken != "token" || n.Total != 2 || n.Progress-last > 1 || n.Progress <= last || n.Message == "" {
			t.Errorf("notification %+v after %v", n, last)
		}
		last = n.Progress
	}
}

// TestCancel checks that a cancelled call ends at once and leaves the session.
func TestCancel(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "send_and_read", Arguments: map[string]any{
		"session_id": id, "text": "sleep 20", "press_enter": true, "timeout": 30,
	}})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 5*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	after := call1(t, c, "send_keys", map[string]any{"session_id": id, "keys": []any{"ctrl+c"}})
	if after["reason"] != "prompt" {
		t.Errorf("after the cancelled call: %v", after)
	}
}

// TestOthersDuringWait checks that a waiting call keeps nobody from typing,
// looking and ending the session.
func TestOthersDuringWait(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	waited := make(chan map[string]any, 1)
	go func() {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait_for", Arguments: map[string]any{"session_id": id, "until": "exit", "timeout": 20}})
		if err != nil {
			t.Error(err)
			waited <- nil
			return
		}
		waited <- res.StructuredContent.(map[string]any)
	}()
	got := call1(t, c, "send_and_read", map[string]any{"session_id": id, "text": "echo meanwhile", "press_enter": true})
	if got["output"] != "meanwhile" {
		t.Errorf("typed during a wait: %v", got)
	}
	if shot := call1(t, c, "snapshot", map[string]any{"session_id": id}); !strings.Contains(shot["screen"].(string), "meanwhile") {
		t.Errorf("looked during a wait: %v", shot)
	}
	end := call1(t, c, "terminate_process", map[string]any{"session_id": id, "signal": "HUP", "delete": true})
	if end["exit_code"] != 129.0 || end["deleted"] != true {
		t.Errorf("terminated during a wait: %v", end)
	}
	if w := <-waited; w["reason"] != "exited" || w["exit_code"] != 129.0 {
		t.Errorf("the waiting call: %v", w)
	}
}

// TestStop checks that Stop ends calls in flight with a reason.
func TestStop(t *testing.T) {
	s, err := New(manager(t), Options{Structured: StructuredOn})
	if err != nil {
		t.Fatal(err)
	}
	c := connectTo(t, "test", s, nil)
	id := start(t, c, shell(t, nil))
	time.AfterFunc(100*time.Millisecond, s.Stop)
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait_for", Arguments: map[string]any{"session_id": id, "until": "exit"}})
	if err != nil || !res.IsError || textOf(res) != errStopping.Error() {
		t.Errorf("%v %+v", err, res)
	}
}

// TestPanicIsContained checks that a tool that panics fails alone.
func TestPanicIsContained(t *testing.T) {
	s, err := New(nil, Options{}) // without a Manager every session tool panics
	if err != nil {
		t.Fatal(err)
	}
	c := connectTo(t, "test", s, nil)
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_sessions"})
	if err != nil || !res.IsError || !strings.HasPrefix(textOf(res), "internal error; the sessions go on") {
		t.Errorf("%v %+v", err, res)
	}
	if _, err := c.ListResources(t.Context(), nil); err == nil {
		t.Error("resources/list did not fail")
	}
	if _, err := c.ListTools(t.Context(), nil); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}

// TestResources reads, completes and follows a session's resources.
func TestResources(t *testing.T) {
	for _, version := range []string{lastStateful, ""} {
		t.Run("protocol"+version, func(t *testing.T) { resources(t, version) })
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
	if err != nil || len(list.Resources) != 3 || list.Resources[1].URI != "cli://s1/screen" {
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
	for _, uri := range []string{"cli://s9/screen", "cli://s1/sound", "cli://s1", "cli://../screen", "file:///etc/passwd"} {
		if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s can be read", uri)
		}
		// By the newest protocol a client hears nothing of a refused subscription.
		ours := strings.HasPrefix(uri, uriScheme)
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err == nil && ours && version != "" {
			t.Errorf("%s can be subscribed to", uri)
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

// followed subscribes to the screen, changes it many times and unsubscribes.
func followed(t *testing.T, c *mcp.ClientSession, s *Server, updated <-chan string) {
	const uri = "cli://res/screen"
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	call1(t, c, "send_and_read", map[string]any{
		"session_id": "res", "text": "for i in $(seq 1 100); do echo $i; sleep 0.005; done", "press_enter": true, "timeout": 10,
	})
	took := time.Since(began)
	if got := <-updated; got != uri {
		t.Errorf("update of %s", got)
	}
	n := 1
	for len(updated) > 0 {
		<-updated
		n++
	}
	if most := int(took/notifyEvery) + 1; n > most {
		t.Errorf("%d updates in %v, more than %d", n, took, most)
	}
	for _, u := range []string{uri, "file:///etc/passwd"} {
		if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: u}); err != nil {
			t.Error(err)
		}
	}
	// By the newest protocol a subscription ends some time after the call.
	for deadline := time.Now().Add(5 * time.Second); s.watching() > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("%d watches are left", s.watching())
		}
		time.Sleep(time.Millisecond)
	}
}

// TestSubscriptionLimit reaches the limit, and lets a client go without
// unsubscribing.
func TestSubscriptionLimit(t *testing.T) {
	s, err := New(manager(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := connectVersion(t, "test", s, nil, lastStateful)
	gone := connectVersion(t, "test", s, nil, lastStateful)
	if err := gone.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "x:first"}); err != nil {
		t.Fatal(err)
	}
	for i := range maxWatches {
		err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: fmt.Sprintf("x:%d", i)})
		if last := i == maxWatches-1; (err != nil) != last {
			t.Fatalf("subscription %d: %v", i, err)
		}
	}
	if err := gone.Close(); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(5 * time.Second); s.watching() == maxWatches; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the subscription of a client that has gone is left")
		}
	}
}

// watching returns how many resources are followed.
func (s *Server) watching() int {
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	return len(s.subs.watches)
}

// readText reads a text resource.
func readText(t *testing.T, c *mcp.ClientSession, uri string) string {
	t.Helper()
	res, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatalf("%s: %v", uri, err)
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

// TestSnapshotFormats looks at one screen in every format.
func TestSnapshotFormats(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, map[string]any{
		"command": need.Program(t, "printf"), "args": []any{`a\033[1;31mred\033[0m\342\200\213`}, "rows": 5, "cols": 20,
	})
	for format, want := range map[string]string{
		"text": "ared\u200b",
		"ansi": "a\x1b[1;31mred\u200b\x1b[m",
		"html": "<!doctype html>",
		"svg":  "<svg ",
		"json": `"text":"red`,
	} {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "snapshot", Arguments: map[string]any{"session_id": id, "format": format}})
		if err != nil || res.IsError {
			t.Errorf("%s: %v %s", format, err, textOf(res))
			continue
		}
		if got := textOf(res); !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
			t.Errorf("%s: %q does not hold %q", format, clip(got), want)
		}
	}
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "snapshot", Arguments: map[string]any{"session_id": id, "format": "png"}})
	if err != nil || res.IsError || len(res.Content) != 2 {
		t.Fatalf("png: %v %+v", err, res)
	}
	png, ok := res.Content[1].(*mcp.ImageContent)
	if !ok || png.MIMEType != "image/png" || !strings.HasPrefix(string(png.Data), "\x89PNG\r\n") {
		t.Errorf("png: %+v", res.Content[1])
	}
	shown := call1(t, c, "snapshot", map[string]any{"session_id": id, "reveal": true, "cursor": true})
	if got := field[string](t, shown, "screen"); !strings.Contains(got, "U+200B") || !strings.Contains(got, "▏") {
		t.Errorf("revealed with the cursor: %q", got)
	}
	_, err = c.CallTool(t.Context(), &mcp.CallToolParams{Name: "snapshot", Arguments: map[string]any{"session_id": id, "since": 1e6}})
	if err != nil {
		t.Error(err)
	}
	since := call1(t, c, "snapshot", map[string]any{"session_id": id, "since": 0})
	if rows := field[[]any](t, since, "rows"); len(rows) != 1 {
		t.Errorf("rows since the start: %v", rows)
	}
	since = call1(t, c, "snapshot", map[string]any{"session_id": id, "since": since["revision"]})
	if rows := field[[]any](t, since, "rows"); rows == nil || len(rows) != 0 {
		t.Errorf("rows since now: %v", since["rows"])
	}
}
