package conform

import (
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
)

// A pressed key is one of vttest's keyboard tests: the key's name in send_keys, and
// vttest's description of the received key.
type pressed struct{ key, said string }

// TestVttestKeyboard checks the keys in vttest's menu 5 through the server's tools.
// Tab switches to the next mode of the cursor keys and the keypad. Their last mode,
// VT52, is not supported here. Of the function keys, vttest knows only those of a
// VT220.
func TestVttestKeyboard(t *testing.T) {
	need.Program(t, "vttest")
	server := startServer(t)
	for _, c := range []struct {
		name, menu string
		keys       []pressed
	}{
		{"cursor keys", "4", []pressed{
			{"up", "<27> [ A  (Up arrow key)"}, {"down", "<27> [ B  (Down arrow key)"},
			{"right", "<27> [ C  (Right arrow key)"}, {"left", "<27> [ D  (Left arrow key)"},
			{"tab", "<ANSI / Cursor key mode SET>"},
			{"up", "<27> O A  (Up arrow key)"}, {"down", "<27> O B  (Down arrow key)"},
			{"right", "<27> O C  (Right arrow key)"}, {"left", "<27> O D  (Left arrow key)"},
		}},
		{"numeric keypad", "5", []pressed{
			{"f1", "<27> O P  (PF1 key)"}, {"f4", "<27> O S  (PF4 key)"}, {"kp0", "0  (Numeric 0 key)"},
			{"kp9", "9  (Numeric 9 key)"}, {"kpenter", "<13>  (ENTER key)"}, {"kpminus", "-  (Minus key)"},
			{"tab", "<ANSI Application mode>"},
			{"f2", "<27> O Q  (PF2 key)"}, {"f3", "<27> O R  (PF3 key)"}, {"kp0", "<27> O p  (Numeric 0 key)"},
			{"kp5", "<27> O u  (Numeric 5 key)"}, {"kp9", "<27> O y  (Numeric 9 key)"},
			{"kpenter", "<27> O M  (ENTER key)"}, {"kpdot", "<27> O n  (Point key)"},
			{"kpminus", "<27> O m  (Minus key)"}, {"kpcomma", "<27> O l  (Comma key)"},
		}},
		{"editing keypad", "6", []pressed{
			{"insert", "<27> [ 2 ~  (Insert Here key)"}, {"delete", "<27> [ 3 ~  (Remove key)"},
			{"pageup", "<27> [ 5 ~  (Prev key)"}, {"pagedown", "<27> [ 6 ~  (Next key)"},
		}},
		{"function keys", "7", []pressed{
			{"f5", "<27> [ 1 5 ~  (F5 (xterm) key)"}, {"f6", "<27> [ 1 7 ~  (F6 key)"},
			{"f7", "<27> [ 1 8 ~  (F7 key)"}, {"f8", "<27> [ 1 9 ~  (F8 key)"}, {"f9", "<27> [ 2 0 ~  (F9 key)"},
			{"f10", "<27> [ 2 1 ~  (F10 key)"}, {"f11", "<27> [ 2 3 ~  (F11 key)"}, {"f12", "<27> [ 2 4 ~  (F12 key)"},
		}},
		{"control keys", "9", []pressed{
			{"ctrl+space", "NUL (CTRL-@ or CTRL-Space)"}, {"ctrl+a", "SOH (CTRL-A)"}, {"ctrl+z", "SUB (CTRL-Z)"},
			{"ctrl+[", "ESC (CTRL-[)"}, {"ctrl+\\", "FS  (CTRL-\\"}, {"ctrl+]", "GS  (CTRL-]"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			pressAll(t, server, c.menu, c.keys)
		})
	}
}

// pressAll opens an entry of menu 5, presses keys and waits for vttest's
// descriptions.
func pressAll(t *testing.T, server *mcp.ClientSession, menu string, keys []pressed) {
	id := call(t, server, "start_process", map[string]any{
		"command": "vttest", "args": []string{"24x80.132"}, "wait_for": "choice number"})["session_id"].(string)
	call(t, server, "send_and_read", map[string]any{
		"session_id": id, "text": "5", "press_enter": true, "wait_for": "Keyboard Tests"})
	call(t, server, "send_and_read", map[string]any{
		"session_id": id, "text": menu, "press_enter": true, "wait_for": "Finish with"})
	for _, k := range keys {
		reply := call(t, server, "send_keys", map[string]any{"session_id": id, "keys": []string{k.key}, "view": "screen"})
		for end := time.Now().Add(screenLimit); !strings.Contains(reply["screen"].(string), k.said); {
			if time.Now().After(end) {
				t.Fatalf("%s: vttest does not show %q:\n%s", k.key, k.said, reply["screen"])
			}
			reply = call(t, server, "wait_for", map[string]any{
				"session_id": id, "until": "change", "since": reply["revision"], "timeout": 1, "view": "screen"})
		}
	}
	call(t, server, "terminate_process", map[string]any{"session_id": id, "force": true, "delete": true})
}
