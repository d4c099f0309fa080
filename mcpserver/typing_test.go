package mcpserver

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
)

// linuxOnly skips a test that needs to know whether a program has read its input, which
// only Linux reports.
func linuxOnly(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux reports what a program waits for")
	}
}

// typingProgram starts one of the programs in testdata/typing and returns a client and the
// session's ID.
func typingProgram(t *testing.T, file string, args ...any) (*mcp.ClientSession, string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "typing", file))
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, map[string]any{
		"command": need.Program(t, "python3"), "args": append([]any{path}, args...),
		"wait_for": "ready", "timeout": patience.Seconds(),
	})
	return c, id
}

// TestTypesAsAPerson checks that typed text and keys reach programs that lose input
// arriving all at once.
func TestTypesAsAPerson(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		file string
		args []any
		tool string
		in   map[string]any
		want string
	}{
		{"text and Enter", "onekey.py", nil, "send_and_read", map[string]any{"text": "what is 2+2", "press_enter": true}, "text <what is 2+2>"},
		{"keys of a menu", "onekey.py", nil, "send_keys", map[string]any{"keys": []any{"down*3", "up", "enter"}}, "keys <down down down up>"},
		{"letters", "onekey.py", nil, "send_keys", map[string]any{"keys": []any{"j*3", "enter"}}, "keys <j j j>"},
		{"Escape before text", "onekey.py", nil, "send_keys", map[string]any{"keys": []any{"esc", map[string]any{"text": "x"}, "tab", "enter"}}, "keys <esc x tab>"},
		{"control sequences in text", "onekey.py", nil, "send_and_read", map[string]any{"text": "\x1b[B\x1b[A\r"}, "keys <down up>"},
		{"several lines", "onekey.py", nil, "send_and_read", map[string]any{"text": "one\ntwo"}, "text <one>"},
		{"several lines as a paste", "onekey.py", []any{"paste"}, "send_and_read", map[string]any{"text": "one\ntwo", "press_enter": true}, "keys <\x1b[200~one\rtwo\x1b[201~>"},
		{"a line break at the end of a paste", "onekey.py", []any{"paste"}, "send_and_read", map[string]any{"text": "one\ntwo\n"}, "keys <\x1b[200~one\rtwo\x1b[201~>"},
		{"several lines not as a paste", "onekey.py", []any{"paste"}, "send_and_read", map[string]any{"text": "one\ntwo", "paste": false}, "text <one>"},
		{"a search that waits 200 ms", "later.py", []any{"0.2"}, "send_and_read", map[string]any{"text": "line 1423", "press_enter": true}, "picked <line 1423>"},
		{"and then keys", "later.py", []any{"0.15"}, "send_keys", map[string]any{"keys": []any{map[string]any{"text": "line 1423"}, "enter"}}, "picked <line 1423>"},
		{"flushed input", "flush.py", nil, "send_and_read", map[string]any{"text": ":mkdir a/b", "press_enter": true}, "got <:mkdir a/b>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			linuxOnly(t)
			c, id := typingProgram(t, tt.file, tt.args...)
			tt.in["session_id"], tt.in["until"], tt.in["timeout"], tt.in["strip_ansi"] = id, "exit", patience.Seconds(), false
			r := call1(t, c, tt.tool, tt.in)
			if got := fmt.Sprint(r["output"]); !strings.Contains(got, tt.want) {
				t.Errorf("reason %v, output %q, want %q", r["reason"], got, tt.want)
			}
		})
	}
}

// TestTypesMuch checks that typing megabytes to a program in raw mode does not slow down
// with each character or line.
func TestTypesMuch(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	size := need.Few(t, 1<<20, 8<<20)
	c, id := typingProgram(t, "count.py")
	text := strings.Repeat("some text of a line of words\n", size/29)
	began := time.Now()
	r := call1(t, c, "send_and_read", map[string]any{"session_id": id, "text": text + "Q", "until": "exit", "timeout": 2 * patience.Seconds()})
	if want := fmt.Sprintf("%d bytes", len(text)+1); !strings.Contains(fmt.Sprint(r["output"]), want) {
		t.Errorf("after %s: reason %v, output %.200q, want %q", time.Since(began), r["reason"], r["output"], want)
	}
}

// TestNeverReads checks that a call reports that the program reads nothing, and that
// another call's ctrl+c still gets through.
func TestNeverReads(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	c, id := typingProgram(t, "count.py", "never")
	r := call1(t, c, "send_and_read", map[string]any{"session_id": id, "text": "hello", "press_enter": true, "timeout": 4})
	if notes := fmt.Sprint(r["notes"]); r["reason"] == "prompt" || !strings.Contains(notes, "the program read nothing for 2 s") {
		t.Errorf("reason %v, notes %q", r["reason"], notes)
	}
	typed := make(chan string, 1)
	go func() {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "send_keys", Arguments: map[string]any{"session_id": id, "keys": []any{"down*50"}, "timeout": 10}})
		if err != nil {
			t.Error(err)
			res = new(mcp.CallToolResult)
		}
		typed <- ResultText(res)
	}()
	r = call1(t, c, "send_keys", map[string]any{"session_id": id, "keys": []any{"ctrl+c"}, "until": "exit", "timeout": patience.Seconds()})
	// Both calls have the same reader, so one of them gets the output.
	if other := <-typed; r["exit_code"] != 3.0 || strings.Count(fmt.Sprint(r["output"])+other, "interrupted") != 1 {
		t.Errorf("after ctrl+c: %v; the other call: %s", r, other)
	}
}

// TestEndsWhileTyped checks that if a program exits while keys are typed, the reply has
// its output and says which keys were not typed.
func TestEndsWhileTyped(t *testing.T) {
	linuxOnly(t)
	c, id := typingProgram(t, "onekey.py")
	r := call1(t, c, "send_keys", map[string]any{"session_id": id, "keys": []any{"down", "enter", "down*5"}, "timeout": patience.Seconds(), "until": "exit"})
	notes := fmt.Sprint(r["notes"])
	if r["reason"] != "exited" || !strings.Contains(fmt.Sprint(r["output"]), "keys <down>") || !strings.Contains(notes, "were not typed") {
		t.Errorf("reason %v, output %q, notes %q", r["reason"], r["output"], notes)
	}
}
