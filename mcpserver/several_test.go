package mcpserver

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
)

// TestWaitForAll tests waiting for all of several sessions, or for the first. The answer
// says which sessions were not done in time.
func TestWaitForAll(t *testing.T) {
	t.Parallel()
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	var ids []any
	gate := t.TempDir() + "/gate" // without it, the reply to the start could contain the output
	for _, line := range []string{"sleep 0.4; echo slow", "echo fast; exit 3", "sleep 0.2; seq 1 5000"} {
		line = "until [ -e $0 ]; do sleep 0.02; done; " + line
		ids = append(ids, start(t, c, a{"command": need.Program(t, "bash"), "args": []any{"-c", line, gate}, "until": "none"}))
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait_for", Arguments: a{"session_ids": ids, "all": true, "until": "exit", "timeout": 20, "max_output_chars": 1500}})
	if err != nil || res.IsError {
		t.Fatal(err, ResultText(res))
	}
	got := res.StructuredContent.(a)
	each := field[[]any](t, got, "sessions")
	if len(each) != 3 || got["is_complete"] != true || each[0].(a)["output"] != "slow" || each[1].(a)["exit_code"] != 3.0 {
		t.Errorf("%v", got)
	}
	if text := ResultText(res); !strings.HasPrefix(text, "slow\n[s1 exited 0") || !strings.Contains(text, "\nfast\n[s2 exited 3") || len(text) > 1500 || !strings.Contains(text, "\n[s3 exited 0") {
		t.Errorf("%d bytes: %s", len(text), text)
	}

	busy := start(t, c, a{"command": need.Program(t, "sleep"), "args": []any{"1000"}, "until": "none"})
	got = call1(t, c, "wait_for", a{"session_ids": []any{"s2", busy}, "all": true, "until": "exit", "timeout": 0.3})
	each = field[[]any](t, got, "sessions")
	if got["is_complete"] != false || each[0].(a)["reason"] != "exited" || each[1].(a)["reason"] != "timeout" {
		t.Errorf("after the timeout: %v", got)
	}
	if got = call1(t, c, "wait_for", a{"session_ids": []any{busy, "s2"}, "until": "exit", "timeout": 20}); got["session_id"] != "s2" || got["reason"] != "exited" {
		t.Errorf("waiting for the first: %v", got)
	}
	if say := denied(t, c, "wait_for", a{"session_ids": []any{"s1", "s2", "s1"}}); !strings.Contains(say, `"session_ids[2]" names session s1 a second time`) {
		t.Error(say)
	}
}

// TestEndSeveral checks that several sessions are terminated at once and deleted, and that
// nothing is done if one of them cannot be.
func TestEndSeveral(t *testing.T) {
	t.Parallel()
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	// Each of these two exits once both have received SIGTERM. Terminated one after the
	// other, the first would be killed.
	told := t.TempDir()
	line := `trap ': >$0/$$' TERM; echo set; until [ -e $0/$$ ] && [ "$(ls $0 | wc -l)" = 2 ]; do sleep 0.05; done; exit 7`
	for range 2 {
		start(t, c, a{"command": need.Program(t, "bash"), "args": []any{"-c", line, told}, "wait_for": "set", "timeout": 20})
	}
	start(t, c, a{"command": need.Program(t, "sleep"), "args": []any{"1000"}, "until": "none"})
	start(t, c, a{"command": need.Program(t, "true"), "until": "exit", "timeout": 20, "name": "ended"})
	if say := denied(t, c, "delete_session", a{"session_ids": []any{"ended", "s1"}}); !strings.Contains(say, "still running: session s1") || !strings.Contains(say, "nothing was deleted") {
		t.Error(say)
	}
	if say := denied(t, c, "terminate_process", a{"session_ids": []any{"s1", "s9"}}); !strings.Contains(say, `no session "s9"`) {
		t.Error(say)
	}
	got := call1(t, c, "terminate_process", a{"session_ids": []any{"s1", "s2"}, "grace_period": 20, "delete": true})
	if say := fmt.Sprint(got["sessions"]); strings.Count(say, "exit_code:7") != 2 || strings.Count(say, "deleted:true") != 2 {
		t.Error(say)
	}
	call1(t, c, "terminate_process", a{"session_ids": []any{"s3"}, "force": true})
	got = call1(t, c, "delete_session", a{"session_ids": []any{"s3", "ended"}})
	if list := call1(t, c, "list_sessions", nil); len(field[[]any](t, list, "sessions")) != 0 || strings.Count(fmt.Sprint(got["sessions"]), "deleted:true") != 2 {
		t.Errorf("%v, left: %v", got, list)
	}
}

// TestSmallForms tests the short forms of arguments: text among keys, regions as text, and
// the last hits of a search.
func TestSmallForms(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	got := call1(t, c, "send_keys", a{"session_id": id, "keys": []any{"text:echo 4711; seq 1 40", "enter"}, "timeout": 20})
	if out := field[string](t, got, "output"); !strings.HasPrefix(out, "4711\n1\n") {
		t.Errorf("keys: %s", out)
	}
	call1(t, c, "send_keys", a{"session_id": id, "keys": []any{"TEXT:text:x", "ctrl+c"}, "timeout": 20})
	for region, want := range map[string]string{"0:2": "19\n20", "1,0,3,1": "2\n2\n2", "0, 1, 1, 1": "9"} {
		if shot := call1(t, c, "snapshot", a{"session_id": id, "region": region}); field[string](t, shot, "screen") != want {
			t.Errorf("region %q: %q, want %q", region, shot["screen"], want)
		}
	}
	if say := denied(t, c, "snapshot", a{"session_id": id, "region": "20:9"}); !strings.Contains(say, "9 rows from row 20") {
		t.Error(say)
	}
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_output", Arguments: a{"session_id": id, "search": "^[123]?5$", "tail": 2, "context": 1}})
	if err != nil || !strings.HasPrefix(ResultText(res), "25-24\n26:25\n27-26\n--\n35-34\n36:35\n37-36\n[s1 running · 2 matching lines]") {
		t.Errorf("%v: %s", err, ResultText(res))
	}
}
