package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// a is one step, or the arguments of a call.
type a = map[string]any

// steps calls run_steps and returns its text and its structured content.
func steps(t *testing.T, c *mcp.ClientSession, id string, more a, list ...any) (text string, data a) {
	t.Helper()
	args := a{"session_id": id, "steps": list}
	for k, v := range more {
		args[k] = v
	}
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_steps", Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	data, _ = res.StructuredContent.(a)
	return ResultText(res), data
}

// done returns the reasons and outputs of a run, and the step where it stopped, or -1.
func done(t *testing.T, data a) (reasons, outputs string, stopped int) {
	t.Helper()
	var r, o []string
	for _, s := range field[[]any](t, data, "steps") {
		st := s.(a)
		r = append(r, field[string](t, st, "reason"))
		o = append(o, field[string](t, st, "output"))
	}
	if n := len(o); n > 0 {
		if o[n-1] != "" {
			t.Errorf("the last step repeats the run's output: %q", o[n-1])
		}
		o[n-1] = field[string](t, data, "output")
	}
	stopped = -1
	if at, ok := data["stopped_at"]; ok {
		stopped = int(at.(float64))
	}
	return strings.Join(r, " "), strings.Join(o, "|"), stopped
}

// ran checks the result of a run: its reasons, its outputs, where it stopped and why.
func ran(t *testing.T, text string, data a, reasons, outputs string, stopped int, why string) {
	t.Helper()
	r, o, at := done(t, data)
	if r != reasons || o != outputs || at != stopped || !strings.Contains(text, why) || stopped >= 0 && !strings.Contains(fmt.Sprint(data["notes"]), why) {
		t.Errorf("reasons %q, outputs %q, stopped at %d; want %q, %q, %d because %q\n%s", r, o, at, reasons, outputs, stopped, why, text)
	}
}

// TestRunSteps checks that steps run in order at a shell, and that a run stops at a step
// that cannot be done.
func TestRunSteps(t *testing.T) {
	t.Parallel()
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	line := func(text string) a { return a{"text": text, "press_enter": true, "timeout": patience.Seconds()} }

	text, data := steps(t, c, id, nil, line("echo one"), line("true"), line("echo three"))
	ran(t, text, data, "prompt prompt prompt", "one||three", -1, "[s1 running · prompt")
	if field[string](t, data, "output") != "three" || strings.Count(text, "three") != 1 {
		t.Errorf("the last reply: %v\n%s", data["output"], text)
	}
	for i, want := range []string{"[step 0 · prompt · ", "one\n[step 1 · prompt · ", "[step 2 · prompt · "} {
		if !strings.Contains(text, want) {
			t.Errorf("line %d is missing: %s", i, text)
		}
	}

	text, data = steps(t, c, id, nil, line("echo aim"), a{"expect": `(?i)AIM\n\$ $`, "text": "echo shot", "press_enter": true}, line("echo gone"))
	ran(t, text, data, "prompt prompt prompt", "aim|shot|gone", -1, "")

	text, data = steps(t, c, id, nil, line("echo first"), a{"expect": "never shown", "text": "echo no", "press_enter": true, "timeout": 0.2}, line("echo not either"))
	ran(t, text, data, "prompt timeout", "first|", 1, `stopped at step 1: expect "never shown" does not match within 200 ms; nothing was typed`)
	if screen := field[string](t, data, "screen"); !strings.HasSuffix(screen, "$ echo first\nfirst\n$") || strings.Count(screen, "\n") > unmetRows || !strings.Contains(text, screen) {
		t.Errorf("after an expect that did not match: screen %q\n%s", screen, text)
	}

	_, data = steps(t, c, id, a{"max_output_chars": 5}, a{"expect": "never shown", "timeout": 0.2})
	if screen := field[string](t, data, "screen"); !strings.Contains(screen, " rows left out; ") || !strings.HasSuffix(screen, "\n$") {
		t.Errorf("with a small budget: screen %q", screen)
	}

	text, data = steps(t, c, id, nil, a{"text": "read answer", "press_enter": true, "timeout": 20}, a{"text": "42\n"}, a{"text": "echo $answer", "press_enter": true})
	ran(t, text, data, "awaiting_input prompt prompt", "||42", -1, "")

	text, data = steps(t, c, id, nil, a{"text": "sleep 1000", "press_enter": true, "timeout": 0.3}, line("echo late"))
	ran(t, text, data, "timeout", "", 0, "stopped at step 0: it did not complete within 300 ms")
	text, data = steps(t, c, id, nil, a{"keys": []any{"ctrl+c"}, "timeout": 20}, a{"expect": `\$ $`})
	ran(t, text, data, "prompt matched", "^C|", -1, "")

	text, data = steps(t, c, id, nil, a{"text": "echo waiting; sleep 0.3; echo now", "press_enter": true, "wait_for": "^now", "timeout": 20}, a{"until": "ready"})
	ran(t, text, data, "matched prompt", "waiting\nnow|", -1, `· wait_for "^now" matched ·`)

	text, data = steps(t, c, id, nil, line("exit 3"), line("echo gone"))
	ran(t, text, data, "exited", "exit", 1, "stopped at step 1: the process has exited")
	if field[float64](t, data, "exit_code") != 3 {
		t.Errorf("exit code: %v", data["exit_code"])
	}
}

// TestStepsAreChecked checks that invalid steps are rejected before anything is typed.
func TestStepsAreChecked(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	good := a{"text": "touch typed", "press_enter": true}
	for _, tt := range []struct {
		bad  any
		want string
	}{
		{a{"txt": "x"}, `unknown argument "steps[1].txt"`},
		{a{"enter": true}, `unknown argument "steps[1].enter": here it is "press_enter"`},
		{a{"keys": []any{"ctrl+nothing"}}, `"steps[1].keys" item 0`},
		{a{"text": "x", "expect": "["}, `argument "steps[1].expect": "[" is not an RE2`},
		{a{"wait_for": ""}, `argument "steps[1].wait_for" must not be empty`},
		{a{"text": "x", "timeout": 0}, `"steps[1].timeout" must be a number from 0.1 to 600`},
		{a{"text": "x", "until": "done"}, `"steps[1].until" must be one of`},
		{a{}, `argument "steps[1]" has nothing to do`},
		{"text", `argument "steps[1]" must be an object of expect, text`},
		{nil, `argument "steps[1]" must be an object`},
	} {
		if say := denied(t, c, "run_steps", a{"session_id": id, "steps": []any{good, tt.bad}}); !strings.Contains(say, tt.want) {
			t.Errorf("%v: %s", tt.bad, say)
		}
	}
	many := make([]any, maxSteps+1)
	for i := range many {
		many[i] = good
	}
	for want, list := range map[string]any{
		`argument "steps" has 51 items, more than 50`: many,
		`argument "steps" must not be empty`:          []any{},
		`argument "steps" must be a list`:             a{"text": "x"},
	} {
		if say := denied(t, c, "run_steps", a{"session_id": id, "steps": list}); !strings.Contains(say, want) {
			t.Errorf("want %s: %s", want, say)
		}
	}
	if say := denied(t, c, "start_process", shell(t, a{"text": "x", "steps": []any{good}})); !strings.Contains(say, `give "steps" or "text"`) {
		t.Error(say)
	}
	if say := denied(t, c, "run_steps", a{"session_id": "s99", "steps": []any{good}}); !strings.Contains(say, `no session "s99"`) {
		t.Error(say)
	}
	if got := call1(t, c, "send_and_read", a{"session_id": id, "text": "ls typed", "press_enter": true, "timeout": 20}); !strings.Contains(field[string](t, got, "output"), "No such file") {
		t.Errorf("something was typed: %v", got)
	}
	if list := call1(t, c, "list_sessions", nil); len(list["sessions"].([]any)) != 1 {
		t.Errorf("sessions: %v", list)
	}
}

// TestStepsInEditor checks that one call can edit a file in vim.
func TestStepsInEditor(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	file := filepath.Join(t.TempDir(), "poem")
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	got := call1(t, c, "start_process", a{
		"command": need.Program(t, "vim"), "args": []any{"-u", "NONE", "-n", file}, "timeout": patience.Seconds(),
		"steps": []any{
			a{"expect": "poem", "keys": []any{"i"}}, a{"text": "roses are red\nviolets are blue"},
			a{"keys": []any{"esc"}}, a{"text": ":%s/red/read/", "press_enter": true},
			a{"expect": "roses are read", "text": ":wq", "press_enter": true, "until": "exit"},
		},
	})
	reasons, outputs, stopped := done(t, got)
	if reasons != "awaiting_input awaiting_input awaiting_input awaiting_input exited" || outputs != "||||" || stopped != -1 || got["exit_code"] != 0.0 {
		t.Errorf("%s, %q, stopped at %d: %v", reasons, outputs, stopped, got)
	}
	if poem, err := os.ReadFile(file); string(poem) != "roses are read\nviolets are blue\n" {
		t.Errorf("the file: %q, %v", poem, err)
	}
}

// TestStepsViews checks that the last reply shows the screen, or the rows that all steps
// have changed, whether or not all steps were done.
func TestStepsViews(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, a{"command": need.Program(t, "vim"), "args": []any{"-u", "NONE", "-n"}, "env": a{"HOME": t.TempDir()}, "timeout": patience.Seconds()})
	call1(t, c, "send_and_read", a{"session_id": id, "text": "ione\ntwo\nthree\x1b", "timeout": patience.Seconds(), "view": "screen"})
	rows := func(data a) (list []string) {
		for _, r := range field[[]any](t, data, "rows") {
			list = append(list, fmt.Sprint(r.(a)["row"], " ", r.(a)["text"]))
		}
		return list
	}
	edit := []any{a{"text": "gg", "timeout": 20}, a{"keys": []any{"x"}, "timeout": 20}, a{"keys": []any{"j", "j", "x"}, "timeout": 20}}
	text, data := steps(t, c, id, a{"view": "diff"}, edit...)
	if got := strings.Join(rows(data), "|"); got != "0 ne|2 hree" {
		t.Errorf("rows %q\n%s", got, text)
	}
	text, data = steps(t, c, id, a{"view": "diff"}, append(edit[:2:2], a{"expect": "never", "text": "x", "timeout": 0.2}, edit[2])...)
	if got := strings.Join(rows(data), "|"); !strings.HasPrefix(got, "0 e") || data["stopped_at"] != 2.0 || strings.Contains(text, "still running") {
		t.Errorf("rows %q\n%s", got, text)
	}
	text, _ = steps(t, c, id, a{"view": "screen", "max_lines": 2}, a{"keys": []any{"j"}, "timeout": 20}, a{"keys": []any{"k"}, "timeout": 20})
	if strings.Count(text, "has_more") != 1 {
		t.Errorf("the first step's screen is not shown: %s", text)
	}
	text, data = steps(t, c, id, a{"view": "screen"}, a{"keys": []any{"j"}, "timeout": 20}, a{"text": ":q!\n", "timeout": 20})
	if data["reason"] != "exited" || field[string](t, data, "screen") == "" && !strings.Contains(text, "exited 0") {
		t.Errorf("%v\n%s", data, text)
	}
}

// TestStepsAtStart tests start_process with steps.
func TestStepsAtStart(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	args := shell(t, a{"steps": []any{a{"expect": `\$ $`, "text": "echo one", "press_enter": true}, a{"text": "echo two", "press_enter": true}}, "timeout": 20})
	text, data := "", call1(t, c, "start_process", args)
	ran(t, text, data, "prompt prompt", "one|two", -1, "")
	if field[float64](t, data, "pid") == 0 || field[string](t, data, "name") == "" || data["prompt"] != "$ " {
		t.Errorf("the start: %v", data)
	}
	hello := a{"command": need.Program(t, "bash"), "args": []any{"-c", "echo hello; read x; echo got $x"}, "steps": []any{a{"text": "y", "press_enter": true}}, "timeout": 20}
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "start_process", Arguments: hello})
	if err != nil {
		t.Fatal(err)
	}
	if text, data = ResultText(res), res.StructuredContent.(a); !strings.HasPrefix(text, "hello\n[step 0 · exited · ") || data["initial_output"] != "hello" || data["exit_code"] != 0.0 {
		t.Errorf("%s\n%v", text, data)
	}
	ran(t, text, data, "exited", "got y", -1, "")
	gone := call1(t, c, "start_process", a{"command": need.Program(t, "true"), "steps": []any{a{"text": "y"}}, "timeout": 20})
	ran(t, fmt.Sprint(gone["notes"]), gone, "", "", 0, "stopped at step 0: the program was not ready; nothing was typed")
}

// TestStepsAndPasswords checks that a run stops before a password prompt that no step
// expects, and that a password is typed as a secret if a step expects the prompt.
func TestStepsAndPasswords(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	ask := a{"text": `read -rsp 'Password: ' word; echo; echo ${#word} letters`, "press_enter": true, "timeout": 20}
	text, data := steps(t, c, id, nil, ask, a{"text": "echo typed", "press_enter": true})
	ran(t, text, data, "password", "Password: ", 0, "stopped at step 0: the program asks for a password")
	call1(t, c, "send_keys", a{"session_id": id, "keys": []any{"ctrl+c"}, "timeout": 20})
	text, data = steps(t, c, id, nil, ask, a{"expect": "Password: $", "text": "open sesame", "press_enter": true, "timeout": 20})
	ran(t, text, data, "password prompt", "Password: |11 letters", -1, "")
	if history := fmt.Sprint(call1(t, c, "get_message", a{"session_id": id, "message_ids": messageIDs(t, c, id)})); strings.Contains(history, "sesame") {
		t.Errorf("the password is in the messages: %s", history)
	}
}

// messageIDs returns the IDs of all messages of a session.
func messageIDs(t *testing.T, c *mcp.ClientSession, id string) (ids []any) {
	t.Helper()
	for _, m := range field[[]any](t, call1(t, c, "list_messages", a{"session_id": id}), "messages") {
		ids = append(ids, m.(a)["id"])
	}
	return ids
}

// TestStepsHeld checks that a dangerous step is held, that the steps before it are
// reported, and that the step can be confirmed.
func TestStepsHeld(t *testing.T) {
	c := connect(t, "test", guardedManager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	bad := a{"text": "echo forbidden", "press_enter": true}
	say := denied(t, c, "run_steps", a{"session_id": id, "steps": []any{a{"text": "echo before", "press_enter": true, "timeout": 20}, bad, a{"text": "echo after", "press_enter": true}}})
	for _, want := range []string{"before\n", "stopped at step 1: held by the danger check", "nothing was typed", `input exactly "echo forbidden"`} {
		if !strings.Contains(say, want) {
			t.Errorf("answer lacks %q: %s", want, say)
		}
	}
	if strings.Contains(say, "after") {
		t.Errorf("the run continued: %s", say)
	}
	if shot := field[string](t, call1(t, c, "snapshot", a{"session_id": id}), "screen"); strings.Contains(shot, "forbidden") {
		t.Errorf("the held step was typed: %s", shot)
	}
	if say := denied(t, c, "run_steps", a{"session_id": id, "steps": []any{bad}}); !strings.HasPrefix(say, "held by the danger check") {
		t.Errorf("first step held: %s", say)
	}
	got := call1(t, c, "confirm_dangerous_command", a{"session_id": id, "input": "echo forbidden", "justification": "a test", "timeout": 20})
	if got["output"] != "forbidden" {
		t.Errorf("confirmed: %v", got)
	}
}

// TestStepsAsked checks that the client's user is asked about a dangerous step, and that
// the run continues after a yes.
func TestStepsAsked(t *testing.T) {
	for _, version := range []string{lastStateful, ""} {
		s, err := New(guardedManager(t), Options{Structured: StructuredOn})
		if err != nil {
			t.Fatal(err)
		}
		c := connectVersion(t, "test", s, &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"run": true}}, nil
			},
		}, version)
		id := start(t, c, shell(t, nil))
		list := []any{a{"text": "echo forbidden", "press_enter": true, "timeout": 20}, a{"text": "echo free", "press_enter": true, "timeout": 20}}
		text, data := steps(t, c, id, nil, list...)
		ran(t, text, data, "prompt prompt", "forbidden|free", -1, "")
		list[0].(a)["expect"] = `\$ $`
		text, data = steps(t, c, id, nil, list...)
		ran(t, text, data, "prompt prompt", "forbidden|free", -1, "")
		data = call1(t, c, "start_process", shell(t, a{"steps": list, "timeout": patience.Seconds()}))
		ran(t, "", data, "prompt prompt", "forbidden|free", -1, "")
	}
}

// TestStepsTogether checks that input of other calls waits until a run ends, unless it
// interrupts the run.
func TestStepsTogether(t *testing.T) {
	need.Long(t)
	t.Parallel()
	mgr := manager(t)
	c := connect(t, "test", mgr, Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	s, err := mgr.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	type result struct {
		text string
		data a
	}
	slow := a{"text": "sleep 2", "press_enter": true, "timeout": 20}
	begin := func(ctx context.Context, list ...any) <-chan result {
		out := make(chan result, 1)
		go func() {
			res, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "run_steps", Arguments: a{"session_id": id, "steps": list}})
			switch {
			case errors.Is(err, context.Canceled):
				out <- result{text: "cancelled"}
			case err != nil:
				out <- result{text: err.Error()}
			default:
				data, _ := res.StructuredContent.(a)
				out <- result{ResultText(res), data}
			}
		}()
		inFront(t, c, id, "sleep")
		return out
	}

	run := begin(t.Context(), slow, a{"text": "x=mine", "press_enter": true, "timeout": 20}, a{"text": "echo $x", "press_enter": true, "timeout": 20})
	if say := denied(t, c, "send_and_read", a{"session_id": id, "text": "x=theirs", "press_enter": true, "timeout": 0.1}); !strings.Contains(say, "another call is doing several steps in this session; nothing was typed") {
		t.Error(say)
	}
	call1(t, c, "send_and_read", a{"session_id": id, "text": "x=theirs", "press_enter": true, "timeout": 20})
	r := <-run
	ran(t, r.text, r.data, "prompt prompt prompt", "||mine", -1, "")

	run = begin(t.Context(), a{"text": "sleep 1000", "press_enter": true, "timeout": 20}, a{"text": "echo on", "press_enter": true})
	pressed := call1(t, c, "send_keys", a{"session_id": id, "keys": []any{"ctrl+c"}, "timeout": 20})
	r = <-run
	echo := "^C" // in one of the two replies, because both calls have the same reader
	if pressed["output"] == "^C" {
		echo = ""
	}
	ran(t, r.text, r.data, "prompt", echo, 0, "stopped at step 0: another call has typed meanwhile")

	ctx, cancel := context.WithCancel(t.Context())
	run = begin(ctx, slow, a{"text": "echo on", "press_enter": true})
	cancel()
	if r = <-run; r.text != "cancelled" {
		t.Errorf("cancelled: %s", r.text)
	}
	if got := call1(t, c, "send_and_read", a{"session_id": id, "text": "echo free", "press_enter": true, "wait_for": "^free", "timeout": 20}); strings.Contains(fmt.Sprint(got["output"]), "on") {
		t.Errorf("after the cancelled call: %v", got)
	}

	ann := session.Person{ID: "1", Name: "Ann"}
	run = begin(t.Context(), slow, a{"text": "echo on", "press_enter": true})
	if err := s.As(ann).TakeOver(false); err != nil {
		t.Fatal(err)
	}
	r = <-run
	ran(t, r.text, r.data, "prompt", "", 1, "Ann has taken over this session since")
	if err := s.As(ann).GiveBack("", false); err != nil {
		t.Fatal(err)
	}

	run = begin(t.Context(), slow, slow, a{"text": "echo on", "press_enter": true})
	if err := s.As(ann).TakeOver(false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.As(ann).Type(t.Context(), session.Input{Text: "# "}); err != nil {
		t.Fatal(err)
	}
	if err := s.As(ann).GiveBack("", false); err != nil {
		t.Fatal(err)
	}
	if r = <-run; !strings.Contains(r.text, "stopped at step 0: Ann has typed meanwhile") {
		t.Error(r.text)
	}
	call1(t, c, "send_keys", a{"session_id": id, "keys": []any{"ctrl+c"}, "timeout": 20})

	run = begin(t.Context(), a{"text": "sleep 1000", "press_enter": true, "timeout": 20}, a{"text": "echo on", "press_enter": true})
	call1(t, c, "terminate_process", a{"session_id": id, "force": true})
	if r = <-run; !strings.Contains(r.text, "s1 exited 137") || !strings.Contains(r.text, "stopped at step 1") {
		t.Error(r.text)
	}
}

// TestStepsBudget checks that the outputs of all steps share one budget, and that the
// answer says how to read the rest.
func TestStepsBudget(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	many := a{"text": "seq 1 5000", "press_enter": true, "timeout": 20}
	text, data := steps(t, c, id, a{"max_output_chars": 2000}, many, many, many, a{"text": "echo end", "press_enter": true, "timeout": 20})
	reasons, outputs, _ := done(t, data)
	if reasons != "prompt prompt prompt prompt" || len(outputs) > 2600 || len(text) > 3000 || !strings.HasSuffix(outputs, "|end") || strings.Count(outputs, "read_output from_line=") != 3 {
		t.Errorf("%s, %d characters of output, %d of text:\n%s", reasons, len(outputs), len(text), text)
	}
}

// TestStepsInAuditLog checks that the audit log's record of a call does not contain the
// text that steps type.
func TestStepsInAuditLog(t *testing.T) {
	got := fmt.Sprint(auditArgs("run_steps", []byte(`{"view":"auto","steps":[{"text":"secret","keys":["text:secret"],"expect":"Password","input":"secret","command":"secret"},"secret",["secret"]]}`)))
	if strings.Contains(got, "secret") || !strings.Contains(got, "unknown:[command input]") || !strings.Contains(got, "Password") || !strings.Contains(got, "auto") {
		t.Error(got)
	}
}

// TestMisnamedInAuditLog checks that the audit log's record of a call does not contain the
// values of unknown arguments, or of a call of an unknown tool.
func TestMisnamedInAuditLog(t *testing.T) {
	for _, name := range []string{"send_and_read", "send_command"} {
		got := fmt.Sprint(auditArgs(name, []byte(`{"cmd":"secret","command":"secret","txt":["secret"],"text":"secret"}`)))
		if strings.Contains(got, "secret") || !strings.Contains(got, "command") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestStepsInTime checks that a run without a progress token ends within MaxBlock.
func TestStepsInTime(t *testing.T) {
	t.Parallel()
	s, err := New(manager(t), Options{Structured: StructuredOn, MaxBlock: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	c := connectTo(t, "test", s, nil)
	id := start(t, c, shell(t, nil))
	text, data := steps(t, c, id, nil, a{"text": "true", "press_enter": true}, a{"text": "sleep 1000", "press_enter": true}, a{"text": "true", "press_enter": true})
	if _, _, stopped := done(t, data); stopped != 1 || !strings.Contains(text, "that a call has without a progress token") {
		t.Error(text)
	}
}
