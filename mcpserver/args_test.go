package mcpserver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session"
)

// valueOf returns a new value of a field's type, without the pointer of an optional one.
func valueOf(f jsonField) reflect.Value {
	if f.Type.Kind() == reflect.Pointer {
		return reflect.New(f.Type.Elem()).Elem()
	}
	return reflect.New(f.Type).Elem()
}

// good returns a valid value for an argument.
func good(f jsonField) any {
	if l := limitsOf(f.Tag); l.enum != "" {
		return strings.Split(l.enum, ",")[0]
	} else if l.min != "" && jsonTypes[valueOf(f).Kind()] == "a number" {
		return json.Number(l.min)
	}
	switch v := valueOf(f); v.Interface().(type) {
	case keyList:
		return []any{"enter"}
	case string:
		return "x"
	case []string:
		return []any{"x"}
	case stepList:
		return []any{map[string]any{"text": "x"}}
	}
	return 1
}

// badValues returns values that an argument must reject, keyed by what is wrong with them.
func badValues(f jsonField) map[string]any {
	bad := map[string]any{"null": nil}
	v, l := valueOf(f), limitsOf(f.Tag)
	switch {
	case l.enum != "" && v.Kind() == reflect.Slice:
		bad["unknown enum"] = []any{"never"}
	case l.enum != "":
		bad["unknown enum"] = "never"
	}
	switch v.Interface().(type) {
	case keyList:
		bad["a string"] = "enter"
		bad["unknown key"] = []any{"hyperspace"}
		bad["null item"] = []any{nil}
		bad["wrong item"] = []any{true}
		bad["unknown field"] = []any{map[string]any{"key": "a"}}
		bad["half a character"] = json.RawMessage(`[{"text":"\ud800"}]`)
		return bad
	case region:
		bad["wrong type"] = []any{1, 2, 3, 4}
		bad["unknown field"] = map[string]any{"x": 1}
		bad["null field"] = map[string]any{"row": nil}
		bad["negative"] = map[string]any{"row": -1}
		bad["empty"] = map[string]any{"cols": 0}
		return bad
	}
	switch jsonTypes[v.Kind()] {
	case "a string":
		bad["wrong type"] = 12.5
		bad["object"] = map[string]any{}
		bad["half a character"] = json.RawMessage(`"\udfff"`)
	case "a boolean":
		bad["wrong type"] = "true"
		bad["number"] = 1
	case "a list":
		bad["wrong type"] = "x"
		bad["wrong item"] = []any{true}
		bad["null item"] = []any{nil}
	case "an object":
		bad["wrong type"] = []any{}
		bad["wrong item"] = map[string]any{"A": true}
		bad["null item"] = map[string]any{"A": nil}
	case "a number":
		least, most := l.numbers(v.Kind())
		bad["wrong type"] = "5"
		bad["below the minimum"] = least - 1
		bad["above the maximum"] = most + 1
		bad["huge"] = json.RawMessage("1e300")
		bad["beyond a number"] = json.RawMessage("1e999")
		if v.Kind() != reflect.Float64 {
			bad["fraction"] = 1.5
		}
	}
	return bad
}

// TestBadInput checks that each tool rejects each argument if it is missing, null, of the
// wrong type, out of range or unknown. The server has no session manager: a call that
// passed validation would fail with another error.
func TestBadInput(t *testing.T) {
	t.Parallel()
	c := connect(t, "test", nil, Options{})
	for _, tool := range allTools() {
		args := map[string]any{}
		for _, f := range fieldsOf(tool.in) {
			if f.Tag.Get("need") == "true" {
				args[f.name] = good(f)
			}
		}
		for _, f := range fieldsOf(tool.in) {
			for what, value := range badValues(f) {
				refused(t, c, tool.name, args, f.name, what, value)
			}
		}
		for name := range args {
			refused(t, c, tool.name, args, name, "missing", nil)
		}
		refused(t, c, tool.name, args, "sesion_id", "unknown extra", "s1")
	}
}

// refused checks that a call with one bad argument returns a tool error that names the
// argument.
func refused(t *testing.T, c *mcp.ClientSession, tool string, args map[string]any, name, what string, value any) {
	t.Helper()
	with := map[string]any{}
	for k, v := range args {
		with[k] = v
	}
	with[name] = value
	if what == "missing" {
		delete(with, name)
	}
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: with})
	if err != nil {
		t.Errorf("%s: %s %s: protocol error %v", tool, name, what, err)
		return
	}
	text := ResultText(res)
	if !res.IsError || res.Meta[MetaRefused] != true || !strings.Contains(text, `"`+name) || strings.Contains(text, "internal error") {
		t.Errorf("%s: %s %s: isError %v, %q", tool, name, what, res.IsError, text)
	}
	if len(text) > 700 || strings.Contains(text, "%!") || strings.Contains(text, "\n") {
		t.Errorf("%s: %s %s: not one short sentence: %q", tool, name, what, text)
	}
}

// TestArgumentSentences checks the text of errors about arguments, which a model acts on.
func TestArgumentSentences(t *testing.T) {
	c := connect(t, "test", nil, Options{})
	for _, tt := range []struct{ tool, args, want string }{
		{"start_process", `{"cmd":"ls"}`, `unknown argument "cmd": here it is "command"; the arguments are command, args,`},
		{"send_and_read", `{"session_id":"s1","cmd":"x"}`, `unknown argument "cmd": here it is "text"; the arguments are`},
		{"send_and_read", `{"session_id":"s1","command":"x"}`, `unknown argument "command": here it is "text"; the arguments are`},
		{"confirm_dangerous_command", `{"session_id":"s1","cmd":"x"}`, `unknown argument "cmd": here it is "input"; the arguments are`},
		{"send_and_read", `{"session_id":"s1","input":"x"}`, `unknown argument "input": here it is "text"; the arguments are`},
		{"send_and_read", `{"session_id":"s1","timeout_ms":500}`, `unknown argument "timeout_ms": here it is "timeout", in seconds; the arguments are`},
		{"wait_for", `{"session_id":"s1","wait_for":"x"}`, `unknown argument "wait_for": here it is "pattern"; the arguments are`},
		{"list_sessions", `{"all":true}`, `unknown argument "all"; the tool has no arguments`},
		{"start_process", `{"command":"sh","sandbox":{"network":true}}`, `unknown argument "sandbox.network"; give {} for "sandbox", which has no arguments of its own`},
		{"run_steps", `{"session_id":"s1","steps":[{"txt":"x"}]}`, `unknown argument "steps[0].txt", did you mean "text"? The arguments are `},
		{"start_process", `{}`, `argument "command" is missing: it must be a string (`},
		{"start_process", `{"command":"x","rows":0}`, `argument "rows" must be an integer from 1 to 1000, not 0`},
		{"start_process", `{"command":"x","rows":"24"}`, `argument "rows" must be an integer from 1 to 1000, not a string`},
		{"start_process", `{"command":null}`, `argument "command" must be a string, not null`},
		{"start_process", `{"command":"x","name":null}`, `argument "name" must be a string, not null; leave it out instead`},
		{"start_process", `{"command":"x","timeout":601}`, `argument "timeout" must be a number from 0.1 to 600, not 601`},
		{"start_process", `{"command":"x","until":"done"}`, `argument "until" must be one of ready, exit, quiet, change, released, none, not "done"`},
		{"start_process", `{"command":"x","wait_for":"` + strings.Repeat("a", maxPattern+1) + `"}`, `argument "wait_for" has 10001 bytes; at most 10000: look for a shorter text`},
		{"start_process", `{"command":"x","wait_for":"("}`, `argument "wait_for": "(" is not an RE2 regular expression: missing closing ); put \ before characters meant literally`},
		{"start_process", `{"command":"x","wait_for":"a**"}`, `argument "wait_for": "a**" is not an RE2 regular expression: invalid nested repetition operator at "**"; put`},
		{"start_process", `{"command":"x","env":{"A":true}}`, `argument "env.A" must be a string, not a boolean`},
		{"start_process", `{"command":"x","args":["a",true]}`, `argument "args[1]" must be a string, not a boolean`},
		{"start_process", `{"command":"x","rows":24,"command":"y"}`, `argument "command" is given twice`},
		{"start_process", `{"command":"x","env":{"A":"1","A":"2"}}`, `argument "env.A" is given twice`},
		{"start_process", `["ls"]`, `arguments must be one JSON object, not a list`},
		{"send_keys", `{"session_id":"s1","keys":"enter"}`, `argument "keys" must be a list of key names and literal text, such as ["ctrl+c"] or ["text:yes","enter"], not a string`},
		{"send_keys", `{"session_id":"s1","keys":["enter","warp"]}`, `argument "keys" item 1: `},
		{"send_keys", `{"session_id":"s1","keys":["\ud800"]}`, `argument "keys" item 0: contains half of a surrogate pair`},
		{"snapshot", `{"session_id":"s1","region":{"x":1}}`, `unknown argument "region.x"; the arguments are row, col, rows, cols`},
		{"wait_for", `{}`, `argument "session_id" is missing, or "session_ids"; list_sessions shows them`},
		{"wait_for", `{"session_id":"a","session_ids":["b"]}`, `give "session_id" or "session_ids", not both`},
		{"start_process", `{"command":"x","max_output_chars":-1}`, `argument "max_output_chars" must be an integer from 1 to 9007199254740991, not -1`},
		{"start_process", `{"command":"x","max_output_chars":9007199254740992}`, `argument "max_output_chars" must be an integer from 1 to 9007199254740991, not 9007199254740992`},
		{"start_process", `{"command":"x","wait_for":""}`, `argument "wait_for" must not be empty: it would match anything`},
		{"wait_for", `{"session_ids":["b"],"since":4}`, `argument "since" is one session's revision; give it with "session_id"`},
		{"send_keys", `{"session_id":"s1","keys":[]}`, `argument "keys" must not be empty; to wait without typing use wait_for`},
		{"get_message", `{"session_id":"s1","message_ids":[]}`, `argument "message_ids" must not be empty`},
		{"read_output", `{"session_id":"s1","context":3}`, `argument "context" needs "search"`},
		{"read_output", `{"session_id":"s1","search":"x","from_line":3}`, `argument "from_line" excludes "tail" and "search"; give one of them`},
		{"wait_for", `{"session_id":"a","all":true}`, `argument "all" needs "session_ids"`},
		{"delete_session", `{}`, `argument "session_id" is missing, or "session_ids"; list_sessions shows them`},
		{"terminate_process", `{"session_id":"a","session_ids":["b"]}`, `give "session_id" or "session_ids", not both`},
		{"terminate_process", `{"session_ids":[]}`, `argument "session_ids" must not be empty`},
		{"send_keys", `{"session_id":"s1","keys":["text:"]}`, `argument "keys" item 0: has no text to type; leave it out`},
		{"snapshot", `{"session_id":"s1","region":"5"}`, `argument "region" must be "row:rows", "row,col,rows,cols" (rows and columns from 0, sizes from 1), not "5"`},
		{"snapshot", `{"session_id":"s1","region":"1:0"}`, `argument "region" must be "row:rows"`},
		{"snapshot", `{"session_id":"s1","region":"1,2,3"}`, `argument "region" must be "row:rows"`},
		{"snapshot", `{"session_id":"s1","region":"-1,0,2,2"}`, `argument "region" must be "row:rows"`},
		{"snapshot", `{"session_id":"s1","region":"0,0,99999999999999999999,2"}`, `argument "region" must be "row:rows"`},
	} {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tt.tool, Arguments: json.RawMessage(tt.args)})
		if err != nil {
			t.Errorf("%s %s: %v", tt.tool, tt.args, err)
			continue
		}
		if got := ResultText(res); !res.IsError || res.Meta[MetaRefused] != true || !strings.HasPrefix(got, tt.want) || strings.Count(got, `{"text"`) > 1 {
			t.Errorf("%s %s:\n got %q\nwant %q…", tt.tool, tt.args, got, tt.want)
		}
	}
}

// TestDefaults checks that the defaults in the schemas are the defaults that the code
// uses.
func TestDefaults(t *testing.T) {
	want := map[string]any{
		"start_process.rows": session.DefaultRows, "start_process.cols": session.DefaultCols, "start_process.mode": "pty",
		"start_process.timeout": startTimeout.Seconds(), "wait_for.timeout": waitTimeout.Seconds(), "timeout": sendTimeout.Seconds(),
		"view": string(session.ViewAuto), "max_output_chars": session.DefaultMaxOutputChars,
		"snapshot.format": "text", "send_input.press_enter": false,
		"terminate_process.grace_period": defaultGrace.Seconds(), "terminate_process.signal": "SIGTERM",
		"list_messages.limit": defaultMessages, "start_process.marks": true,
	}
	seen := map[string]bool{}
	for _, tool := range allTools() {
		for _, p := range objectSchema(tool.in, forPeople).Properties {
			if p.Default == nil {
				continue
			}
			key := tool.name + "." + p.Name
			if _, ok := want[key]; !ok {
				key = p.Name
			}
			seen[key] = true
			if got := string(mustJSON(want[key])); got != string(p.Default) {
				t.Errorf("%s %s: default in the schema is %s, want %s", tool.name, p.Name, p.Default, got)
			}
		}
	}
	if len(seen) != len(want) {
		t.Errorf("%d defaults in the schemas, want %d", len(seen), len(want))
	}
}

// TestForeignTools checks that calling a tool by the name that another server uses names
// our tool in the error.
func TestForeignTools(t *testing.T) {
	c := connect(t, "test", nil, Options{})
	for _, name := range []string{"create_session", "send_command", "send_control", "close_session", "spawn_process", "read_buffer", "kill_session"} {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text := ResultText(res)
		ours, _, _ := strings.Cut(ForeignTools[name], ",")
		if !res.IsError || !strings.Contains(text, fmt.Sprintf("no tool %q here; use ", name)+ours) {
			t.Errorf("%s: %q", name, text)
		}
	}
	_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "make_coffee"})
	if err == nil || !strings.Contains(err.Error(), `unknown tool "make_coffee"; the tools are start_process, `) {
		t.Errorf("unknown tool: %v", err)
	}
}

// TestForeignNamesLead checks that every entry of ForeignTools and foreignArguments names
// a tool or an argument that exists.
func TestForeignNamesLead(t *testing.T) {
	arguments := map[string]bool{}
	names := map[string]bool{}
	for _, tool := range allTools() {
		names[tool.name] = true
		for _, name := range namesOf(tool.in) {
			arguments[name] = true
		}
	}
	for theirs, ours := range ForeignTools {
		first := strings.FieldsFunc(ours, func(r rune) bool { return r == ',' || r == ' ' })[0]
		if !names[first] || names[theirs] {
			t.Errorf("tool %s is mapped to %s, which is not ours, or is one of our names itself", theirs, ours)
		}
	}
	for theirs, list := range foreignArguments {
		for _, ours := range list {
			if !arguments[ours] {
				t.Errorf("argument %s is mapped to unknown argument %s", theirs, ours)
			}
		}
	}
}

func TestChosenTools(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  int
		err   string
	}{
		{nil, len(ToolNames()), ""},
		{[]string{"all"}, len(ToolNames()), ""},
		{[]string{"core"}, 9, ""},
		{[]string{"core", "resize_pty"}, 10, ""},
		{[]string{"snapshot"}, 1, ""},
		{[]string{"coffee"}, 0, `unknown tool "coffee"; want all, core or one of start_process`},
	} {
		s, err := New(nil, Options{Tools: tt.names})
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: error %v", tt.names, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		list, err := connectTo(t, "test", s, nil).ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != tt.want {
			t.Errorf("%q: %d tools, %v", tt.names, len(list.Tools), err)
		}
	}
	c := connect(t, "test", nil, Options{Tools: []string{"core"}})
	_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "resize_pty"})
	if err == nil || !strings.Contains(err.Error(), `tool "resize_pty" is not served: the server was started with a subset`) {
		t.Errorf("tool outside the subset: %v", err)
	}
}

// TestAnnotations checks the hints of every tool.
func TestAnnotations(t *testing.T) {
	readOnly := strings.Fields("snapshot read_output wait_for list_sessions get_session_info list_messages get_message")
	destructive := strings.Fields("send_and_read run_steps send_input send_keys send_mouse start_process terminate_process delete_session confirm_dangerous_command")
	idempotent := strings.Fields("resize_pty unregister_reader")
	openWorld := strings.Fields("start_process send_and_read run_steps send_input send_keys send_mouse confirm_dangerous_command")
	reader := []string{"register_reader", "unregister_reader"}
	has := func(list []string, name string) bool {
		for _, n := range list {
			if n == name {
				return true
			}
		}
		return false
	}
	for _, tool := range allTools() {
		want := hints{has(readOnly, tool.name), has(destructive, tool.name), has(idempotent, tool.name), has(openWorld, tool.name), has(reader, tool.name)}
		if tool.hints != want {
			t.Errorf("%s: hints %+v, want %+v", tool.name, tool.hints, want)
		}
	}
}

// TestNumbersAsText checks that numbers are accepted where text is expected, and keep
// their spelling.
func TestNumbersAsText(t *testing.T) {
	var start startProcessArgs
	if err := decodeArgs([]byte(`{"command":"head","args":["-n", 5, 1.50, -3e2],"env":{"PORT":8080}}`), &start); err != nil {
		t.Fatal(err)
	}
	if want := []string{"-n", "5", "1.50", "-3e2"}; !slices.Equal(start.Args, want) || start.Env["PORT"] != "8080" {
		t.Errorf("args %q, env %q; want %q, PORT 8080", start.Args, start.Env, want)
	}
	var keys sendKeysArgs
	if err := decodeArgs([]byte(`{"session_id":"s1","keys":[5,"enter"]}`), &keys); err != nil {
		t.Fatal(err)
	}
	if k := keys.Keys[0].Key; k.Code != emulator.KeyRune || k.Rune != '5' {
		t.Errorf("key for the number 5: %+v", k)
	}
	for _, bad := range []string{`{"session_id":"s1","keys":[12]}`, `{"session_id":"s1","keys":[true]}`} {
		if err := decodeArgs([]byte(bad), &keys); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

// TestNoCharacter checks that invalidText describes invalid text, and accepts a U+FFFD
// that was in the JSON.
func TestNoCharacter(t *testing.T) {
	for raw, want := range map[string]string{
		`"a\ud800b"`: "half of a surrogate pair", `"a\ud800\\ufffdb"`: "half of a surrogate pair", `"\\\ufffd"`: "", "\"a\xff\xfeb\"": "bytes that are not UTF-8", "\"\ufffd\"": "", `"\uFFFD\ud83d\ude00"`: "",
	} {
		var s string
		if err := json.Unmarshal([]byte(raw), &s); err != nil {
			t.Fatal(err)
		}
		if got := invalidText([]byte(raw), s); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}
