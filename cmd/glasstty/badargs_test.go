package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/mcpserver"
)

// A schema is the part of a JSON Schema that the test uses.
type schema struct {
	Type       string            `json:"type"`
	Enum       []string          `json:"enum"`
	Minimum    *float64          `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
	MinLength  *int              `json:"minLength"`
	MaxLength  *int              `json:"maxLength"`
	MinItems   *int              `json:"minItems"`
	MaxItems   *int              `json:"maxItems"`
	Items      *schema           `json:"items"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Additional *schema           `json:"additionalProperties"`
	AnyOf      []schema          `json:"anyOf"`
}

// raw is JSON that Go would not encode, such as an escaped half of a surrogate pair.
type raw = json.RawMessage

// wrong returns values that s does not allow, keyed by what is wrong with them.
func (s schema) wrong() map[string]any {
	bad := map[string]any{"null": nil}
	types := map[string]any{"string": "x", "integer": 1, "boolean": true, "array": []any{}, "object": args{}}
	for name, value := range types {
		either := slices.ContainsFunc(s.AnyOf, func(a schema) bool { return a.Type == name })
		if name != s.Type && !either && (name != "integer" || s.Type != "number") {
			bad["type "+name] = value
		}
	}
	if s.Enum != nil {
		bad["unknown enum"] = "never"
		if s.Enum[0] == "left" {
			delete(bad, "type integer") // a button may be a number
		}
	}
	if s.Minimum != nil {
		bad["below the minimum"] = *s.Minimum - 1
		bad["far below"] = -1e300
	}
	if s.Maximum != nil {
		bad["above the maximum"] = *s.Maximum + 1
	}
	switch s.Type {
	case "string":
		s.wrongString(bad)
	case "integer":
		bad["fraction"], bad["huge"], bad["beyond a number"] = 1.5, 1e300, raw("1e999")
	case "array":
		s.wrongList(bad)
	case "object":
		s.wrongObject(bad)
	}
	return bad
}

func (s schema) wrongString(bad map[string]any) {
	bad["half a character"] = raw(`"\ud800"`)
	if s.MinLength != nil {
		bad["too short"] = ""
	}
	if s.MaxLength != nil {
		bad["too long"] = strings.Repeat("x", *s.MaxLength+1)
	}
}

func (s schema) wrongList(bad map[string]any) {
	bad["null item"] = []any{nil}
	bad["list item"] = []any{[]any{}}
	if s.Items.Type != "" {
		bad["boolean item"] = []any{true}
		bad["half a character"] = raw(`["\udfff"]`)
	}
	if s.MinItems != nil {
		bad["too few"] = []any{}
	}
	if s.MaxItems != nil {
		bad["too many"] = slices.Repeat([]any{"x"}, *s.MaxItems+1)
	}
}

func (s schema) wrongObject(bad map[string]any) {
	if s.Additional != nil {
		bad["null field"], bad["boolean field"] = args{"A": nil}, args{"A": true}
		return
	}
	bad["unknown field"] = args{"never": 1}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		for what, value := range s.Properties[name].wrong() {
			bad[name+" "+what] = args{name: value}
		}
	}
}

// TestBadArguments checks over stdio that each tool rejects each argument of its schema if
// it is missing, null, of a wrong type, out of range or unknown, and that rejected calls
// change nothing.
func TestBadArguments(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	a := connect(t)
	id := a.start("bash").SessionID
	before := a.call("snapshot", args{"session_id": id})
	good := args{
		"session_id": id, "command": "bash", "text": "x", "keys": []string{"x"}, "action": "click", "row": 0, "col": 0,
		"reader_id": 1, "message_ids": []string{"m0"}, "steps": []args{{"text": "x"}}, "input": "x", "justification": "x",
	}
	calls := 0
	for tool, err := range a.session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		s := inputSchema(t, tool)
		base := args{}
		for _, name := range s.Required {
			base[name] = good[name]
			calls += a.refuses(tool.Name, base, name, "missing", nil)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			for what, value := range s.Properties[name].wrong() {
				calls += a.refuses(tool.Name, base, name, what, value)
			}
		}
		calls += a.refuses(tool.Name, base, "sesion_id", "unknown", id)
	}
	t.Logf("%d calls", calls)
	after := a.call("snapshot", args{"session_id": id})
	if after.Revision != before.Revision || after.Screen != before.Screen {
		t.Errorf("something was typed:\n%s", after.Screen)
	}
	if n := len(a.call("list_sessions", nil).Sessions); n != 1 {
		t.Errorf("%d sessions, want 1", n)
	}
	a.line(id, "echo still here").want(t, "prompt", "still here", "")
}

// inputSchema returns the schema of a tool's arguments.
func inputSchema(t *testing.T, tool *mcp.Tool) schema {
	t.Helper()
	text, err := json.Marshal(tool.InputSchema)
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// refuses calls a tool with one bad argument, or without the argument. The call must fail
// with one short sentence that names the argument. It returns 1, the number of calls.
func (a *agent) refuses(tool string, base args, name, what string, value any) int {
	a.t.Helper()
	in := maps.Clone(base)
	in[name] = value
	if what == "missing" {
		delete(in, name)
	}
	res, err := a.invoke(a.t.Context(), tool, in)
	if err != nil {
		a.t.Errorf("%s: %s %s: %v", tool, name, what, err)
		return 1
	}
	text := mcpserver.ResultText(res)
	if !res.IsError || !strings.Contains(text, `"`+name) || strings.ContainsAny(text, "\n") || len(text) > 700 ||
		strings.Contains(text, "internal error") || res.StructuredContent != nil {
		a.t.Errorf("%s: %s %s: error %v, %q", tool, name, what, res.IsError, text)
	}
	return 1
}

// TestImpossibleArguments checks that values of the right type that make no sense are
// rejected with an error that names them, and change nothing.
func TestImpossibleArguments(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	a := connect(t)
	id := a.start("bash").SessionID
	other := a.start("cat").SessionID
	for range 5 {
		a.line(other, "far ahead of the other")
	}
	ahead := a.call("snapshot", args{"session_id": other}).Revision + 100
	reader := 0
	if res, err := a.invoke(t.Context(), "register_reader", args{"session_id": id}); err == nil {
		data, _ := res.StructuredContent.(map[string]any)
		n, _ := data["reader_id"].(float64)
		reader = int(n)
	}
	a.call("unregister_reader", args{"session_id": id, "reader_id": reader})
	before := a.call("snapshot", args{"session_id": id}).Revision
	future := fmt.Sprint(ahead)
	for _, c := range []struct {
		name, tool string
		in         args
		words      []string
	}{
		{"region below the screen", "snapshot", args{"region": args{"row": 24}}, []string{"region", "24 rows"}},
		{"region too wide", "snapshot", args{"region": args{"col": 70, "cols": 11}}, []string{"region", "80 cols"}},
		{"region and scrollback", "snapshot", args{"region": args{}, "scrollback": 5}, []string{"region", "scrollback"}},
		{"since of another session", "snapshot", args{"since": ahead}, []string{"since", future, id}},
		{"since of the future, waiting", "wait_for", args{"until": "change", "since": ahead}, []string{"since", future}},
		{"since of the future, typing", "send_and_read", args{"text": "x", "since": ahead}, []string{"since", future}},
		{"since for a picture", "snapshot", args{"since": 0, "format": "png"}, []string{"since", "text"}},
		{"an unregistered reader", "read_output", args{"reader_id": reader}, []string{fmt.Sprint(reader), "register_reader"}},
		{"typing for it", "send_and_read", args{"text": "x", "reader_id": reader}, []string{fmt.Sprint(reader)}},
		{"waiting for it", "wait_for", args{"reader_id": reader}, []string{fmt.Sprint(reader)}},
		{"unregistering it again", "unregister_reader", args{"reader_id": reader}, []string{fmt.Sprint(reader)}},
		{"the default reader", "unregister_reader", args{"reader_id": 0}, []string{"reader_id"}},
		{"a cell below the screen", "send_mouse", args{"action": "click", "row": 24, "col": 0}, []string{"row 24", "24 rows"}},
		{"no mouse", "send_mouse", args{"action": "click", "row": 0, "col": 0}, []string{"has not asked for the mouse"}},
		{"an unknown message", "get_message", args{"message_ids": []string{"m999"}}, []string{"m999", id}},
		{"after an unknown message", "list_messages", args{"after": "m999"}, []string{"m999"}},
		{"two ways to read", "read_output", args{"from_line": 1, "search": "x"}, []string{"from_line", "search"}},
		{"a line past the end", "read_output", args{"from_line": 1 << 40}, []string{"from_line", "lines 0 to"}},
		{"context without search", "read_output", args{"context": 1}, []string{"context", "search"}},
		{"max_lines -1", "read_output", args{"max_lines": -1}, []string{"max_lines", "-1"}},
		{"a pattern without an end", "wait_for", args{"pattern": strings.Repeat("(", 5000)}, []string{"pattern"}},
		{"a pattern too long", "wait_for", args{"pattern": strings.Repeat("x", 1<<20)}, []string{"pattern", "1048576"}},
		{"a name that is too long", "snapshot", args{"session_id": strings.Repeat("x", 1<<20)}, []string{"list_sessions"}},
		{"a repeat without end", "send_keys", args{"keys": []string{"x*1000000"}}, []string{"x*1000000", "1000"}},
		{"a name of two lines", "start_process", args{"command": "cat", "name": "a\nb"}, []string{"name", `a\nb`}},
		{"a reader of a new session", "start_process", args{"command": "cat", "reader_id": 7}, []string{"reader_id", "7", "register_reader"}},
		{"delete what runs", "delete_session", args{}, []string{id, "terminate_process"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := *a
			b.t = t
			in := args{"session_id": id}
			if c.tool == "start_process" {
				in = args{}
			}
			maps.Copy(in, c.in)
			b.fails(c.tool, in, c.words...)
		})
	}
	if now := a.call("snapshot", args{"session_id": id}).Revision; now != before {
		t.Errorf("revision changed from %d to %d", before, now)
	}
}
