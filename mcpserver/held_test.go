package mcpserver

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// guardedManager returns a manager with the danger check on. It also holds lines with the
// harmless word "forbidden".
func guardedManager(t *testing.T) *session.Manager {
	t.Helper()
	checker, err := danger.New(strings.NewReader("deny word /forbidden/ names what is forbidden"))
	if err != nil {
		t.Fatal(err)
	}
	mgr := session.NewManager(session.Options{Danger: checker})
	t.Cleanup(func() {
		if err := mgr.Close(); err != nil {
			t.Error(err)
		}
	})
	return mgr
}

// denied calls a tool that must fail and returns the text of its error.
func denied(t *testing.T, c *mcp.ClientSession, tool string, args map[string]any) string {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if !res.IsError {
		t.Fatalf("%s %v did not fail: %s", tool, args, ResultText(res))
	}
	return ResultText(res)
}

// TestHeldWhileStopped checks that after ctrl+s an answer says how to resume the output.
func TestHeldWhileStopped(t *testing.T) {
	t.Parallel()
	c := connect(t, "test", guardedManager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	call1(t, c, "send_keys", map[string]any{"session_id": id, "keys": []any{"ctrl+s"}})
	say := denied(t, c, "send_and_read", map[string]any{"session_id": id, "text": "echo hello", "press_enter": true, "timeout": 1})
	if !strings.Contains(say, "send_keys ctrl+q resumes it") {
		t.Errorf("typing a line: %s", say)
	}
	id = start(t, c, map[string]any{"command": "cat"})
	call1(t, c, "send_keys", map[string]any{"session_id": id, "keys": []any{"ctrl+s"}, "timeout": 1})
	say = denied(t, c, "send_input", map[string]any{"session_id": id, "text": strings.Repeat("0123456789\n", 1<<16)})
	if !strings.Contains(say, "ctrl+s has stopped the output; send_keys ctrl+q resumes it; then type the rest") {
		t.Errorf("typing a long text: %s", say)
	}
}

// TestHeld checks that the danger check holds input of every tool that types, and that a
// confirmation types it.
func TestHeld(t *testing.T) {
	c := connect(t, "test", guardedManager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	say := denied(t, c, "send_and_read", map[string]any{"session_id": id, "text": "echo forbidden", "press_enter": true})
	want := `held by the danger check: "echo forbidden" names what is forbidden (user:word); nothing was typed. ` +
		`If the user wants it, call confirm_dangerous_command with session_id "s1", a justification, and input exactly "echo forbidden"; otherwise send something narrower`
	if say != want {
		t.Errorf("got  %s\nwant %s", say, want)
	}
	for tool, args := range map[string]map[string]any{
		"send_input": {"text": "echo forbidden\n"},
		"send_keys":  {"keys": []any{map[string]any{"text": "echo forbidden"}, "enter"}},
	} {
		args["session_id"] = id
		if say := denied(t, c, tool, args); !strings.Contains(say, "nothing was typed") {
			t.Errorf("%s: %s", tool, say)
		}
	}
	if say := denied(t, c, "confirm_dangerous_command", map[string]any{"session_id": id, "input": "ls", "justification": "x"}); !strings.Contains(say, "nothing was confirmed: the held input is ") {
		t.Errorf("confirming another input: %s", say)
	}
	if say := denied(t, c, "confirm_dangerous_command", map[string]any{"session_id": id, "input": "echo forbidden", "justification": " \t"}); !strings.Contains(say, "justification is blank") {
		t.Errorf("confirming with a blank justification: %q", say)
	}
	got := call1(t, c, "confirm_dangerous_command", map[string]any{"session_id": id, "input": "echo forbidden", "justification": "the user asked", "timeout": 20})
	if got["output"] != "forbidden" || got["reason"] != "prompt" || got["notes"] != nil {
		t.Errorf("confirmed: %v", got)
	}
	shot := call1(t, c, "snapshot", map[string]any{"session_id": id})
	if strings.Count(shot["screen"].(string), "forbidden") != 2 {
		t.Errorf("screen %v, want the word twice: in the echo and in the output", shot["screen"])
	}
}

// TestHeldEnter checks that an Enter is held if the line it submits is unknown, and that
// it is confirmed with an empty input.
func TestHeldEnter(t *testing.T) {
	c := connect(t, "test", guardedManager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	call1(t, c, "send_and_read", a{"session_id": id, "text": `bind '"\e[A": ""'`, "press_enter": true, "timeout": 20})
	say := denied(t, c, "send_keys", a{"session_id": id, "keys": []any{"up", "enter"}})
	if !strings.Contains(say, `(unreadable)`) || !strings.Contains(say, `input exactly ""`) {
		t.Fatalf("held: %s", say)
	}
	if got := call1(t, c, "confirm_dangerous_command", a{"session_id": id, "input": "", "justification": "a test", "timeout": 20}); got["reason"] != "prompt" {
		t.Errorf("confirmed: %v", got)
	}
}

// TestHeldLine checks that the error shows the whole line that would be submitted, whether
// it was typed as text, as keys or in several calls.
func TestHeldLine(t *testing.T) {
	c := connect(t, "test", guardedManager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	say := denied(t, c, "send_keys", a{"session_id": id, "keys": []any{"text:echo forbi", "d", "d", "e", "n", "enter"}})
	if !strings.Contains(say, `and input exactly "echo forbidden"; otherwise`) {
		t.Errorf("text and keys: %s", say)
	}
	if got := call1(t, c, "confirm_dangerous_command", a{"session_id": id, "input": "echo forbidden", "justification": "a test", "timeout": 20}); got["output"] != "forbidden" {
		t.Errorf("confirmed: %v", got)
	}
	call1(t, c, "send_input", a{"session_id": id, "text": "echo for"})
	say = denied(t, c, "send_and_read", a{"session_id": id, "text": "bidden", "press_enter": true})
	if !strings.Contains(say, `It would submit "echo forbidden". If the user wants it, `) || !strings.Contains(say, `input exactly "bidden"`) {
		t.Errorf("after text typed before: %s", say)
	}
}

// TestHeldStart checks that a dangerous start is held, and that a confirmation starts it,
// once.
func TestHeldStart(t *testing.T) {
	c := connect(t, "test", guardedManager(t), Options{Structured: StructuredOn})
	bash := need.Program(t, "bash")
	say := denied(t, c, "start_process", map[string]any{"command": bash, "args": []any{"-c", "echo forbidden"}})
	if !strings.Contains(say, `nothing was started`) || !strings.Contains(say, `session_id "held1"`) {
		t.Fatal(say)
	}
	if list := call1(t, c, "list_sessions", nil); len(list["sessions"].([]any)) != 0 {
		t.Errorf("sessions: %v", list)
	}
	line := bash + " -c echo forbidden"
	if say := denied(t, c, "confirm_dangerous_command", map[string]any{"session_id": "held1", "input": "other", "justification": "x"}); !strings.Contains(say, "not \"other\"") {
		t.Error(say)
	}
	got := call1(t, c, "confirm_dangerous_command", map[string]any{"session_id": "held1", "input": line, "justification": "x", "until": "exit", "timeout": 20})
	if got["output"] != "forbidden" || got["exit_code"] != 0.0 {
		t.Errorf("%v", got)
	}
	if say := denied(t, c, "confirm_dangerous_command", map[string]any{"session_id": "held1", "input": line, "justification": "x"}); !strings.Contains(say, "held1") {
		t.Errorf("second confirmation: %s", say)
	}
}

// TestHeldWithoutConfirm checks that the error says to ask the user where
// confirm_dangerous_command is not served.
func TestHeldWithoutConfirm(t *testing.T) {
	c := connect(t, "test", guardedManager(t), Options{Tools: []string{ToolsCore}, Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	say := denied(t, c, "send_and_read", map[string]any{"session_id": id, "text": "echo forbidden", "press_enter": true})
	if strings.Contains(say, "confirm_dangerous_command") || !strings.Contains(say, "ask the user") {
		t.Error(say)
	}
}

// TestAsked checks that a client with elicitation asks its user about held input, with and
// without the initialize handshake. A yes types exactly what was held and a no types
// nothing. The model cannot confirm it alone.
func TestAsked(t *testing.T) {
	for _, version := range []string{lastStateful, ""} {
		t.Run("version "+version, func(t *testing.T) {
			s, err := New(guardedManager(t), Options{Structured: StructuredOn})
			if err != nil {
				t.Fatal(err)
			}
			var asked []string
			yes := false
			c := connectVersion(t, "test", s, &mcp.ClientOptions{
				ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked = append(asked, r.Params.Message)
					if yes {
						return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"run": true}}, nil
					}
					return &mcp.ElicitResult{Action: "decline"}, nil
				},
			}, version)
			id := start(t, c, shell(t, nil))
			args := map[string]any{"session_id": id, "text": "echo forbidden", "press_enter": true, "timeout": 20}
			if say := denied(t, c, "send_and_read", args); !strings.Contains(say, "the user did not allow it (decline)") {
				t.Error(say)
			}
			if len(asked) != 1 || !strings.Contains(asked[0], "echo forbidden") || !strings.Contains(asked[0], "names what is forbidden") {
				t.Errorf("asked %q", asked)
			}
			if say := denied(t, c, "confirm_dangerous_command", map[string]any{"session_id": id, "input": "echo forbidden", "justification": "I want it"}); !strings.Contains(say, "nothing is held") || len(asked) != 1 {
				t.Errorf("%s; asked %q", say, asked)
			}
			yes = true
			if got := call1(t, c, "send_and_read", args); got["output"] != "forbidden" || got["reason"] != "prompt" || len(asked) != 2 || !strings.Contains(asked[1], "the client's user refused it at") {
				t.Errorf("%v; asked %q", got, asked)
			}
			got := call1(t, c, "start_process", map[string]any{"command": need.Program(t, "bash"), "args": []any{"-c", "echo forbidden"}, "until": "exit", "timeout": 20})
			if got["initial_output"] != "forbidden" || len(asked) != 3 {
				t.Errorf("%v; asked %q", got, asked)
			}
			started := call1(t, c, "start_process", shell(t, map[string]any{"text": "echo forbidden", "press_enter": true, "timeout": 20}))
			if !strings.Contains(started["initial_output"].(string), "forbidden") || len(asked) != 4 {
				t.Errorf("%v; asked %q", started, asked)
			}
			if list := call1(t, c, "list_sessions", nil); len(list["sessions"].([]any)) != 3 {
				t.Errorf("sessions: %v", list)
			}
		})
	}
}

// TestNotAsked checks that input stays held if the client's user does not answer, or gives
// an invalid answer. The call returns a tool error in time, and nothing is typed.
func TestNotAsked(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(context.Context) (*mcp.ElicitResult, error){
		"error": func(context.Context) (*mcp.ElicitResult, error) { return nil, errors.New("no window") },
		"other content": func(context.Context) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"run": "yes"}}, nil
		},
		"silence": func(ctx context.Context) (*mcp.ElicitResult, error) { <-ctx.Done(); return nil, ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			s, err := New(guardedManager(t), Options{Structured: StructuredOn, MaxBlock: 300 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			c := connectVersion(t, "test", s, &mcp.ClientOptions{
				ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return answer(ctx) },
			}, lastStateful)
			id := start(t, c, shell(t, nil))
			say := denied(t, c, "send_and_read", map[string]any{"session_id": id, "text": "echo forbidden", "press_enter": true})
			if !strings.Contains(say, "names what is forbidden") || !strings.Contains(say, "user") || strings.Contains(say, "multi-round") {
				t.Error(say)
			}
			t.Log(say)
		})
	}
}

// TestCheckTools checks that an agent can look at a session that a person has taken over
// or paused, and cannot change it.
func TestCheckTools(t *testing.T) {
	mgr := manager(t)
	c := connect(t, "test", mgr, Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	s, err := mgr.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	ann := session.Person{ID: "1", Name: "Ann"}
	for _, step := range []struct {
		begin func() error
		want  string
	}{
		{func() error { return s.As(ann).TakeOver(false) }, "Ann has taken over this session since"},
		{func() error { return s.As(ann).Pause() }, "Ann has paused this session since"},
	} {
		if err := step.begin(); err != nil {
			t.Fatal(err)
		}
		for tool, args := range map[string]map[string]any{
			"send_and_read": {"text": "x"}, "send_input": {"text": "x"}, "send_keys": {"keys": []any{"ctrl+c"}},
			"terminate_process": {"signal": "SIGINT", "grace_period": 0.0}, "resize_pty": {"rows": 5, "cols": 5},
		} {
			args["session_id"] = id
			if say := denied(t, c, tool, args); !strings.Contains(say, step.want) || !strings.Contains(say, "wait_for until=released") {
				t.Errorf("%s: %s", tool, say)
			}
		}
		call1(t, c, "snapshot", map[string]any{"session_id": id})
	}
	if err := s.As(ann).GiveBack("", false); err != nil {
		t.Fatal(err)
	}
	if got := call1(t, c, "terminate_process", map[string]any{"session_id": id}); got["status"] != "exited" {
		t.Errorf("after the person released it: %v", got)
	}
}
