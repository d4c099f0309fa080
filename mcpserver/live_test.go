package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// shell returns the arguments that start a bash with the prompt "$ ".
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

// patience is how long a test waits, on a busy machine, for something that should happen
// soon.
const patience = 30 * time.Second

// inFront waits until the named program is in the foreground of its session's terminal.
func inFront(t *testing.T, c *mcp.ClientSession, id, name string) {
	t.Helper()
	for limit := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		now := call1(t, c, "get_session_info", map[string]any{"session_id": id})["foreground"]
		if now == name {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("foreground program %v, want %s", now, name)
		}
	}
}

// TestProgress checks that a waiting call with a progress token sends progress
// notifications, and that one without a token returns early.
func TestProgress(t *testing.T) {
	t.Parallel()
	s, err := New(manager(t), Options{MaxBlock: 300 * time.Millisecond, Structured: StructuredOn})
	if err != nil {
		t.Fatal(err)
	}
	var (
		mu    sync.Mutex
		seen  []*mcp.ProgressNotificationParams
		twice = make(chan struct{})
	)
	c := connectTo(t, "test", s, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			if seen = append(seen, r.Params); len(seen) == 2 {
				close(twice)
			}
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

	// The session is terminated after the second notification.
	p := &mcp.CallToolParams{Name: "wait_for", Arguments: map[string]any{"session_id": id, "until": "exit", "timeout": patience.Seconds()}}
	p.SetProgressToken("token")
	ended := make(chan string, 1)
	go func() {
		res, err := c.CallTool(t.Context(), p)
		if err != nil {
			ended <- err.Error()
			return
		}
		ended <- ResultText(res)
	}()
	select {
	case <-twice:
	case got := <-ended:
		t.Fatalf("the wait ended before the second notification: %s", got)
	}
	call1(t, c, "terminate_process", map[string]any{"session_id": id, "signal": "KILL"})
	if got := <-ended; !strings.Contains(got, "s1 exited 137") {
		t.Errorf("the wait: %s", got)
	}
	mu.Lock()
	defer mu.Unlock()
	last := 0.0
	for _, n := range seen {
		if n.ProgressToken != "token" || n.Total != patience.Seconds() || n.Progress <= last || n.Message == "" {
			t.Errorf("notification %+v after %v", n, last)
		}
		last = n.Progress
	}
	if progressEvery >= time.Second {
		t.Errorf("progress notifications every %s, want less than 1s", progressEvery)
	}
}

// TestCancel checks that a cancelled call ends at once and leaves the session running.
func TestCancel(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "send_and_read", Arguments: map[string]any{
			"session_id": id, "text": "sleep 1000", "press_enter": true, "timeout": 2 * patience.Seconds(),
		}})
		ended <- err
	}()
	inFront(t, c, id, "sleep") // earlier, ctrl+c would reach the shell
	began := time.Now()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || time.Since(began) > patience {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	after := call1(t, c, "send_keys", map[string]any{"session_id": id, "keys": []any{"ctrl+c"}, "timeout": patience.Seconds()})
	if after["reason"] != "prompt" {
		t.Errorf("after the cancelled call: %v", after)
	}
}

// TestOthersDuringWait checks that other calls can type, look and end the session during a
// waiting call.
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

// TestStop checks that Stop ends the calls in flight with ErrStopping.
func TestStop(t *testing.T) {
	s, err := New(manager(t), Options{Structured: StructuredOn})
	if err != nil {
		t.Fatal(err)
	}
	c := connectTo(t, "test", s, nil)
	id := start(t, c, shell(t, nil))
	time.AfterFunc(100*time.Millisecond, s.Stop)
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait_for", Arguments: map[string]any{"session_id": id, "until": "exit"}})
	if err != nil || !res.IsError || ResultText(res) != ErrStopping.Error() {
		t.Errorf("%v %+v", err, res)
	}
}

// TestPanicIsContained checks that a panic in one tool fails only that call.
func TestPanicIsContained(t *testing.T) {
	s, err := New(nil, Options{}) // without a Manager every session tool panics
	if err != nil {
		t.Fatal(err)
	}
	c := connectTo(t, "test", s, nil)
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_sessions"})
	if err != nil || !res.IsError || !strings.HasPrefix(ResultText(res), "internal error; the sessions keep running") {
		t.Errorf("%v %+v", err, res)
	}
	if _, err := c.ListResources(t.Context(), nil); err == nil {
		t.Error("resources/list did not fail")
	}
	if _, err := c.ListTools(t.Context(), nil); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}

// TestSnapshotFormats checks the snapshot of one screen in every format, revealed, and
// since a revision.
func TestSnapshotFormats(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, map[string]any{
		"command": need.Program(t, "printf"), "args": []any{`\033]0;<script>\007a\033[1;31mred\033[0m\342\200\213`}, "rows": 5, "cols": 20,
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
			t.Errorf("%s: %v %s", format, err, ResultText(res))
			continue
		}
		if got := ResultText(res); !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
			t.Errorf("%s: %q does not contain %q", format, clip(got), want)
		}
		if got := ResultText(res); strings.Contains(got, "<script>") != (format == "text" || format == "ansi" || format == "json") {
			t.Errorf("%s: wrong escaping of the title in %q", format, got[len(got)-100:])
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
	past, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "snapshot", Arguments: map[string]any{"session_id": id, "since": 1, "at": "0"}})
	if want := `argument "since" is revision 1, but at "0" the screen was at revision 0; give an earlier revision`; err != nil || !strings.Contains(ResultText(past), want) {
		t.Errorf("a revision after the past screen's: %+v, %v; want %s", past, err, want)
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

// TestTwoClientsType checks that the program reads every line whole if two clients type
// long lines into one session at once.
func TestTwoClientsType(t *testing.T) {
	t.Parallel()
	s, err := New(manager(t), Options{Structured: StructuredOn})
	if err != nil {
		t.Fatal(err)
	}
	a, b := connectTo(t, "a", s, nil), connectTo(t, "b", s, nil)
	id := start(t, a, map[string]any{
		"command": need.Program(t, "bash"), "until": "none",
		"args": []any{"-c", `while read -r line; do [ "${line//${line:0:1}/}" = "" ] || echo mixed "$line"; [ "$line" = z ] && exit; done`},
	})
	var typing sync.WaitGroup
	for c, letter := range map[*mcp.ClientSession]string{a: "a", b: "b"} {
		for range 20 {
			typing.Go(func() {
				res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "send_input", Arguments: map[string]any{
					"session_id": id, "text": strings.Repeat(letter, 2000), "press_enter": true,
				}})
				if err != nil || res.IsError {
					t.Errorf("%v %s", err, ResultText(res))
				}
			})
		}
	}
	typing.Wait()
	end := call1(t, a, "send_and_read", map[string]any{"session_id": id, "text": "z", "press_enter": true, "until": "exit", "timeout": 20})
	if out := field[string](t, end, "output"); end["reason"] != "exited" || strings.Contains(out, "mixed") {
		t.Errorf("%v: %s", end["reason"], clip(out))
	}
}

// TestLargeAndOddText checks input that clients may send by mistake: 1 MiB, NUL and ESC,
// an overlong line, and text that no program reads.
func TestLargeAndOddText(t *testing.T) {
	t.Parallel()
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	count := start(t, c, map[string]any{
		"command": need.Program(t, "bash"), "until": "none", "mode": "pipe", "args": []any{"-c", "wc -c"},
	})
	text := strings.Repeat("0123456789abcde\n", 1<<16) // 1 MiB
	got := call1(t, c, "send_and_read", map[string]any{"session_id": count, "text": text + "\x00\x1b", "keys": []any{"ctrl+d"}, "timeout": 20, "explain": true})
	if got["output"] != fmt.Sprint(len(text)+2) {
		t.Errorf("text of %d bytes with NUL and ESC: wc counts %v: %v", len(text)+2, got["output"], got)
	}
	// A program that reads lines gets no line longer than the kernel's line buffer.
	id := start(t, c, map[string]any{"command": need.Program(t, "cat"), "until": "none"})
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "send_and_read", Arguments: map[string]any{"session_id": id, "text": strings.Repeat("x", 1<<20)}})
	if err != nil || !res.IsError || !strings.Contains(ResultText(res), "nothing was typed") {
		t.Errorf("line of 1 MiB: %v %s", err, clip(ResultText(res)))
	}
	// A program that reads nothing gets as much as fits, and the error reports how much
	// that was.
	idle := start(t, c, map[string]any{"command": need.Program(t, "bash"), "until": "none", "args": []any{"-c", "stty raw -echo; echo set; sleep 60"}, "wait_for": "set"})
	res, err = c.CallTool(t.Context(), &mcp.CallToolParams{Name: "send_input", Arguments: map[string]any{"session_id": idle, "text": text}})
	if err != nil || !res.IsError || !strings.Contains(ResultText(res), "the program is not reading its input") {
		t.Errorf("text for a program that does not read: %v %s", err, clip(ResultText(res)))
	}
}

// TestConfirm checks that confirm_dangerous_command types nothing when nothing is held.
func TestConfirm(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "confirm_dangerous_command", Arguments: map[string]any{"session_id": id, "input": "echo sure", "justification": "a test"}})
	if err != nil || !res.IsError || !strings.Contains(ResultText(res), "nothing is held; type it with send_and_read") {
		t.Errorf("%v %s", err, ResultText(res))
	}
	if got := call1(t, c, "snapshot", map[string]any{"session_id": id}); strings.Contains(fmt.Sprint(got["screen"]), "sure") {
		t.Errorf("unheld input was typed: %v", got["screen"])
	}
}

// TestMarksOff checks that with marks off there is no last_command, and the prompt is
// found anyway.
func TestMarksOff(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	for marks, want := range map[bool]bool{true: true, false: false} {
		id := start(t, c, shell(t, map[string]any{"marks": marks}))
		r := call1(t, c, "send_and_read", map[string]any{"session_id": id, "text": "echo o''k", "press_enter": true, "timeout": 20})
		if _, told := r["last_command"]; told != want || r["reason"] != "prompt" || r["output"] != "ok" {
			t.Errorf("marks %v: %v", marks, r)
		}
	}
}

// TestLongPrompt checks that a long prompt is shown in the first reply and not repeated in
// the next.
func TestLongPrompt(t *testing.T) {
	s, err := New(manager(t), Options{Structured: StructuredOff})
	if err != nil {
		t.Fatal(err)
	}
	c := connectTo(t, "test", s, nil)
	prompt := "somebody@somewhere:/a/long/path$ "
	args := shell(t, map[string]any{"env": map[string]any{"PS1": prompt}, "text": "echo $((6*7))", "press_enter": true, "timeout": 20})
	for i, step := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"start_process", args, fmt.Sprintf("42\n[s1 running · prompt %q · ", prompt)},
		{"send_and_read", map[string]any{"session_id": "s1", "text": "echo again", "press_enter": true, "timeout": 20}, "again\n[s1 running · prompt as before · "},
	} {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: step.tool, Arguments: step.args})
		if err != nil {
			t.Fatal(err)
		}
		if got := ResultText(res); !strings.HasPrefix(got, step.want) {
			t.Errorf("call %d: %q, want %q first", i, got, step.want)
		}
	}
}
