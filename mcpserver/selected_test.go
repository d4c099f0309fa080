package mcpserver

import (
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestSelected checks in whiptail and dialog that text and structured content report the
// same selection and show the same rows.
func TestSelected(t *testing.T) {
	t.Parallel()
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	script := need.Program(t, "whiptail") + " --yesno 'Install now?' 8 40; " + need.Program(t, "dialog") + " --menu Edition 20 40 3 1 Basic 2 Pro 3 More"
	text, data := ask(t, c, "start_process", map[string]any{"command": "sh", "args": []any{"-c", script}})
	if data["selected"] != "<Yes>" || !strings.Contains(text, ` · selected "<Yes>" · `) {
		t.Errorf("at first: %v, %s", data["selected"], text)
	}
	if !strings.HasPrefix(text, "… 8 blank rows …\n") || !strings.HasPrefix(text, data["screen"].(string)) {
		t.Errorf("the screen: %q, as text %q", data["screen"], text)
	}
	id := data["session_id"]
	text, data = ask(t, c, "send_keys", map[string]any{"session_id": id, "keys": []any{"tab"}})
	if data["selected"] != "<No>" || !strings.Contains(text, ` · selected "<No>" · `) {
		t.Errorf("after tab: %v, %s", data["selected"], text)
	}
	text, data = ask(t, c, "send_keys", map[string]any{"session_id": id, "keys": []any{"enter"}, "wait_for": "Edition"})
	list, _ := data["selected"].([]any)
	if !slices.Equal(list, []any{"< OK >", "1 Basic"}) || !strings.Contains(text, ` · selected "< OK >", "1 Basic" · `) {
		t.Errorf("in the menu: %v, %s", data["selected"], text)
	}
	text, data = ask(t, c, "wait_for", map[string]any{"session_id": id, "until": "none", "max_lines": 3})
	if screen, _ := data["screen"].(string); !strings.HasPrefix(screen, "… rows ") || !strings.Contains(screen, ", around the selection …\n") || !strings.HasPrefix(text, screen) {
		t.Errorf("three rows: %q, as text %q", screen, text)
	}
	_, data = ask(t, c, "send_keys", map[string]any{"session_id": id, "keys": []any{"escape"}, "until": "exit"})
	if data["selected"] != nil {
		t.Errorf("at the end: %v", data["selected"])
	}
}

// ask calls a tool and returns its text and its structured content.
func ask(t *testing.T, c *mcp.ClientSession, tool string, args map[string]any) (text string, data map[string]any) {
	t.Helper()
	args["timeout"] = patience.Seconds()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil || res.IsError {
		t.Fatalf("%s: %v, %s", tool, err, ResultText(res))
	}
	return ResultText(res), res.StructuredContent.(map[string]any)
}
