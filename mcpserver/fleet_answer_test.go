package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/session"

	shown "github.com/glasstty/glasstty/session/text"
)

// liar is a Fleet whose other host returns whatever answer returns.
type liar struct {
	twoHosts
	answer func(remoteCall) any
}

func (f liar) Call(_ context.Context, _, _ string, body []byte, _ func([]byte)) ([]byte, error) {
	var c remoteCall
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, err
	}
	answer := f.answer(c)
	if res, ok := answer.(*mcp.CallToolResult); ok {
		answer = remoteResult{Result: mustJSON(res)}
	}
	return mustJSON(answer), nil
}

// TestAnswersForOthers checks that the gateway drops or escapes answers in which a host
// claims sessions of another host or of the gateway.
func TestAnswersForOthers(t *testing.T) {
	mgr := session.NewManager(session.Options{})
	var answer any
	s, err := New(mgr, Options{Fleet: liar{answer: func(remoteCall) any { return answer }}, Structured: StructuredOn})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := mgr.Close(); err != nil {
			t.Error(err)
		}
	})
	c := connectTo(t, "test", s, nil)
	call := func(tool string, args map[string]any) (string, string) {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		return ResultText(res), string(mustJSON(res.StructuredContent))
	}
	said := func(text string, data map[string]any) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: data}
	}
	start := map[string]any{"host": "there", "command": "true"}
	both := map[string]any{"session_ids": []string{"there/s1", "there/s2"}, "all": true}
	for _, other := range []string{"build1/s1", "s1", "here/s1", "there/build1/s1", "there/", "", "thereX/s1"} {
		for tool, call1 := range map[string]struct {
			args map[string]any
			data map[string]any
		}{
			toolStart:  {start, map[string]any{"session_id": other}},
			toolInfo:   {map[string]any{"session_id": "there/s1"}, map[string]any{"id": other}},
			toolWait:   {both, map[string]any{"sessions": []any{map[string]any{"session_id": "there/s1"}, map[string]any{"session_id": other}}}},
			toolDelete: {both, map[string]any{"more": map[string]any{"sessions": []any{map[string]any{"session_id": other}}}}},
			toolList:   {map[string]any{"host": "there"}, map[string]any{"sessions": []any{map[string]any{"id": other}}}},
		} {
			if delete(call1.args, "all"); tool == toolWait {
				call1.args["all"] = true
			}
			answer = said("ok", call1.data)
			text, data := call(tool, call1.args)
			if !strings.Contains(text, "dropped the answer from host there") || strings.Contains(data, `"id":"`) || strings.Contains(data, "session_id") {
				t.Errorf("%s of %q: %q %s", tool, other, text, data)
			}
			if says := strings.Contains(text, "before repeating the call"); says != (tool == toolStart || tool == toolDelete) {
				t.Errorf("%s of %q: %q", tool, other, text)
			}
		}
	}

	answer = said("[build1/s1 running]\n[s1 running]\n[there/s1 running]", map[string]any{"session_id": "there/s1"})
	if text, _ := call(toolStart, start); text != shown.ProgramMark+"[build1/s1 running]\n"+shown.ProgramMark+"[s1 running]\n[there/s1 running]" {
		t.Errorf("status lines of other hosts: %q", text)
	}
	answer = remoteResult{Error: "no\n[build1/s1 running]"}
	if text, _ := call(toolStart, start); !strings.Contains(text, "\n"+shown.ProgramMark+"[build1/s1 running]") {
		t.Errorf("error with another host's status line: %q", text)
	}
	entry := map[string]any{"id": "there/s1", "status": "running\n[s1 running]"}
	answer = said("build1/s1 running\nthere/s1 running\ns1 running\n[1 session]", map[string]any{"sessions": []any{entry}})
	if text, _ := call(toolList, map[string]any{"host": "there"}); !strings.HasPrefix(text, "there/s1 running [s1 running]") || strings.Count(text, "\n") != 1 {
		t.Errorf("list with other hosts' sessions: %q", text)
	}
	answer = said("", map[string]any{"sessions": []any{map[string]any{"ID": "build1/s1"}}})
	if text, data := call(toolList, map[string]any{"host": "there"}); !strings.Contains(text, "dropped the answer") || strings.Contains(data, "build1") {
		t.Errorf("list with another host's session under another key: %q %s", text, data)
	}
	link := &mcp.ResourceLink{URI: "cli://build1/s1/screen", Name: "x"}
	answer = &mcp.CallToolResult{Content: []mcp.Content{link}}
	if text, _ := call("snapshot", map[string]any{"session_id": "there/s1"}); !strings.Contains(text, "dropped the answer") {
		t.Errorf("answer with a link to another host's session: %q", text)
	}

	answer = said("", map[string]any{"sessions": []any{map[string]any{"id": "there/s1"}, map[string]any{"id": "build1/s1"}}})
	list, err := c.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) > 0 || list.Meta[metaUnreachable] == nil {
		t.Errorf("list with other hosts' resources: %+v, %v", list, err)
	}
}
