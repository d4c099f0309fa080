package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
)

// forever is a timeout in seconds that is longer than any test takes.
const forever = 500

// TestStepsInterrupted checks that a waiting run ends and types nothing more if another
// call interrupts the program, whatever the run waits for.
func TestStepsInterrupted(t *testing.T) {
	for _, tt := range []struct {
		name    string
		waits   a
		stopped int
		typed   a
	}{
		{"expect", a{"expect": "never", "text": "echo on", "press_enter": true, "timeout": forever}, 1, a{"keys": []any{"ctrl+c"}}},
		{"wait_for", a{"wait_for": "never", "timeout": forever}, 1, a{"keys": []any{"ctrl+c"}}},
		{"the last step", a{"until": "exit", "timeout": forever}, 1, a{"keys": []any{"ctrl+c"}}},
		{"an interrupt and more", a{"expect": "never", "text": "echo on", "press_enter": true, "timeout": forever}, 1, a{"keys": []any{"ctrl+c", "text:echo in", "enter"}, "wait_for": "^in$"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := connect(t, "test", manager(t), Options{Structured: StructuredOn, MaxBlock: forever * time.Second})
			id := start(t, c, shell(t, nil))
			out := make(chan *mcp.CallToolResult, 1)
			go func() {
				list := []any{a{"text": "echo first; sleep 1000", "press_enter": true, "until": "none"}, tt.waits}
				if tt.name != "the last step" {
					list = append(list, a{"text": "echo on", "press_enter": true})
				}
				res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_steps", Arguments: a{"session_id": id, "steps": list}})
				if err != nil {
					t.Error(err)
				}
				out <- res
			}()
			inFront(t, c, id, "sleep")
			args := a{"session_id": id, "timeout": patience.Seconds()}
			for k, v := range tt.typed {
				args[k] = v
			}
			call1(t, c, "send_keys", args)
			res := <-out
			if text := ResultText(res); !strings.Contains(text, fmt.Sprintf("stopped at step %d: another call has typed meanwhile", tt.stopped)) {
				t.Error(text)
			}
			screen := field[string](t, call1(t, c, "snapshot", a{"session_id": id}), "screen")
			if strings.Contains(screen, "echo on") || (len(tt.typed["keys"].([]any)) > 1) != strings.Contains(screen, "\nin\n") {
				t.Errorf("typed: %s", screen)
			}
		})
	}
}

// TestStepsCancelled checks that output read by a cancelled run stays unread for the next
// reader.
func TestStepsCancelled(t *testing.T) {
	mgr := manager(t)
	c := connect(t, "test", mgr, Options{Structured: StructuredOn, MaxBlock: forever * time.Second})
	id := start(t, c, shell(t, nil))
	s, err := mgr.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "run_steps", Arguments: a{"session_id": id, "steps": []any{
			a{"text": "echo first", "press_enter": true, "timeout": 20}, a{"text": "echo second", "press_enter": true, "timeout": 20},
			a{"text": "sleep 1000", "press_enter": true, "until": "none"}, a{"expect": "never", "timeout": forever},
		}}})
		ended <- err
	}()
	inFront(t, c, id, "sleep")
	cancel()
	if err := <-ended; err == nil {
		t.Error("the run was not cancelled")
	}
	r, err := s.Reserve(t.Context(), patience) // waits until the run has ended
	if err != nil {
		t.Fatal(err)
	}
	r.Release()
	if got := call1(t, c, "read_output", a{"session_id": id}); !strings.HasPrefix(fmt.Sprint(got["output"]), "first\nsecond") {
		t.Errorf("unread: %v", got)
	}
}

// TestStepsAndSecrets checks that nothing is typed at a password prompt that the step does
// not expect, however the previous step ended.
func TestStepsAndSecrets(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	ask := func(more a) a {
		out := a{"text": `echo Hello; read -rsp 'Password: ' word; echo; echo ${#word} letters`, "press_enter": true, "timeout": patience.Seconds()}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	typed := a{"text": "echo typed", "press_enter": true, "timeout": 20}
	for name, list := range map[string][]any{
		"matched":            {ask(a{"wait_for": "Password: $"}), typed},
		"no wait between":    {ask(nil), a{"until": "none"}, typed},
		"expects other text": {ask(nil), a{"expect": "Hello", "text": "echo typed", "press_enter": true, "timeout": 20}},
		"one step":           {ask(nil), a{"until": "none"}},
	} {
		text, data := steps(t, c, id, nil, list...)
		if name == "one step" {
			text, data = steps(t, c, id, nil, typed)
		}
		if field[float64](t, data, "stopped_at") != float64(len(field[[]any](t, data, "steps"))) && name != "expects other text" || !strings.Contains(text, "the program asks for a password, and no expect of this step matches its question; this step typed nothing") {
			t.Errorf("%s: %s", name, text)
		}
		if got := call1(t, c, "send_keys", a{"session_id": id, "keys": []any{"ctrl+c"}, "timeout": 20}); strings.Contains(fmt.Sprint(got["output"]), "letters") {
			t.Errorf("%s: the text was typed: %v", name, got)
		}
	}
	text, data := steps(t, c, id, nil, ask(nil), a{"keys": []any{"ctrl+c"}, "timeout": 20}, typed)
	if _, stopped := data["stopped_at"]; stopped || data["output"] != "typed" {
		t.Errorf("an interrupt: %s", text)
	}
	text, data = steps(t, c, id, nil, ask(nil), a{"expect": "Hello\nPass.*: $", "text": "sesame", "press_enter": true, "timeout": 20}, typed)
	ran(t, text, data, "password prompt prompt", "Hello\nPassword: |6 letters|typed", -1, "")
	text, data = steps(t, c, id, nil, ask(nil), a{"expect": "never", "timeout": 0.2})
	ran(t, text, data, "password timeout", "Hello\nPassword: |", 1, "does not match within 200 ms: the program asks for a password; nothing was typed")
}

// TestStepsWithPerson checks that a run continues after a person has answered a password
// prompt, whether typed key by key or given as a whole.
func TestStepsWithPerson(t *testing.T) {
	mgr := manager(t)
	c := connect(t, "test", mgr, Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	s, err := mgr.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	out := make(chan *mcp.CallToolResult, 1)
	go func() {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_steps", Arguments: a{"session_id": id, "steps": []any{
			a{"text": `read -rsp 'Password: ' word; echo; echo ${#word} letters`, "press_enter": true, "wait_for": "(?m)^Password:", "timeout": patience.Seconds()}, // the prompt may come late on a busy machine
			a{"wait_for": "letters", "timeout": patience.Seconds()},
			a{"text": "echo on", "press_enter": true, "timeout": patience.Seconds()},
		}}})
		if err != nil {
			t.Error(err)
		}
		out <- res
	}()
	for limit := time.Now().Add(patience); !s.AsksSecret() && time.Now().Before(limit); {
		time.Sleep(time.Millisecond)
	}
	ann := session.Person{ID: "1", Name: "Ann"}
	if err := s.As(ann).TakeOver(false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.As(ann).Type(t.Context(), session.Input{Text: "abc"}); err != nil {
		t.Fatal(err)
	}
	if err := s.As(ann).GiveBack("", false); err != nil {
		t.Fatal(err)
	}
	if err := s.As(ann).TypeSecret(t.Context(), "d"); err != nil {
		t.Fatal(err)
	}
	data, _ := (<-out).StructuredContent.(a)
	if _, stopped := data["stopped_at"]; stopped || data["output"] != "on" {
		t.Errorf("after the password: %v", data)
	}
}

// TestStepsTellAll checks that the reply reports output that each step lost or left out,
// and events such as the bell.
func TestStepsTellAll(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	line := func(text string) a { return a{"text": text, "press_enter": true, "timeout": patience.Seconds()} }
	text, data := steps(t, c, id, nil, line("seq 1 30000"), line(`printf 'bell\a\n'`), line("echo end"))
	first := field[[]any](t, data, "steps")[0].(a)
	if first["has_more"] != true || field[float64](t, first, "dropped_bytes") < 1000 || !strings.Contains(fmt.Sprint(first["notes"]), "the oldest lines are no longer kept") || data["has_more"] != true || field[float64](t, data, "dropped_bytes") < 1000 {
		t.Errorf("lost output: %v", data)
	}
	if events := field[[]any](t, data, "events"); len(events) != 1 || data["output"] != "end" {
		t.Errorf("events %v, output %v", events, data["output"])
	}
	if head, _, _ := strings.Cut(text, "\n"); !strings.Contains(head, " · has_more · ") || !strings.Contains(head, " bytes dropped · the oldest lines") {
		t.Errorf("status line of the first step: %s", head)
	}
}

// TestStepsShare checks that the last step gets at least half of the budget, and the other
// steps equal shares of the rest.
func TestStepsShare(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	many := a{"text": "seq 1 5000", "press_enter": true, "timeout": patience.Seconds()}
	few := a{"text": "seq 1 10", "press_enter": true, "timeout": patience.Seconds()}
	_, data := steps(t, c, id, a{"max_output_chars": 4000}, many, few, many, many, few, many)
	var lengths []int
	for _, s := range field[[]any](t, data, "steps") {
		lengths = append(lengths, len(field[string](t, s.(a), "output")))
	}
	lengths[5] = len(field[string](t, data, "output"))
	for i, n := range lengths {
		least, most := 550, 800
		switch i {
		case 1, 4:
			least, most = 20, 20
		case 5:
			least, most = 1900, 2200
		}
		if n < least || n > most {
			t.Errorf("step %d: %d characters, want %d to %d: %v", i, n, least, most, lengths)
		}
	}
	_, data = steps(t, c, id, a{"max_output_chars": 4000}, many, few, a{"expect": "never", "timeout": 0.1}, few, few)
	if out := field[string](t, field[[]any](t, data, "steps")[0].(a), "output"); len(out) < 3500 {
		t.Errorf("first step with nothing else to show: %d characters, want at least 3500", len(out))
	}
}

// TestStepsMaxLines checks that max_lines keeps the newest lines of each step.
func TestStepsMaxLines(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	seq := func(n int) a {
		return a{"text": fmt.Sprintf("seq 1 %d", n), "press_enter": true, "timeout": patience.Seconds()}
	}
	id := start(t, c, shell(t, nil))
	text, data := steps(t, c, id, a{"max_lines": 2}, seq(4), seq(5), seq(2))
	cut := "… %d lines left out; read_output from_line=%d max_lines=%[1]d gets them …\n"
	ran(t, text, data, "prompt prompt prompt", fmt.Sprintf(cut, 2, 1)+"3\n4|"+fmt.Sprintf(cut, 3, 6)+"4\n5|1\n2", -1, "")
	data = call1(t, c, "start_process", shell(t, a{"max_lines": 1, "steps": []any{seq(3), seq(3)}, "timeout": patience.Seconds()}))
	if out := fmt.Sprint(data["output"]); !strings.HasPrefix(out, "… 2 lines left out; ") || !strings.HasSuffix(out, " …\n3") {
		t.Errorf("from start_process: %q", out)
	}
}

// TestStepsExpectAnswers checks that expect matches what the program shows, and not the
// echo of typed text.
func TestStepsExpectAnswers(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	id := start(t, c, shell(t, nil))
	text, data := steps(t, c, id, nil, a{"text": "sleep 1000; echo marker", "press_enter": true, "until": "none"}, a{"expect": "marker", "text": "echo early", "press_enter": true, "timeout": 0.5})
	ran(t, text, data, "returned timeout", "|", 1, `expect "marker" does not match`)
	call1(t, c, "send_keys", a{"session_id": id, "keys": []any{"ctrl+c"}, "timeout": 20})
	text, data = steps(t, c, id, nil, a{"text": "echo mark''er", "press_enter": true, "until": "none"}, a{"expect": `marker\n\$ $`, "text": "echo aft''er", "press_enter": true, "timeout": 20})
	ran(t, text, data, "returned prompt", "|marker\nafter", -1, "")

	id = start(t, c, a{"command": need.Program(t, "bash"), "args": []any{"--norc", "-i"}, "cwd": t.TempDir(), "timeout": patience.Seconds()})
	text, data = steps(t, c, id, nil, a{"text": "touch completed", "press_enter": true, "timeout": 20}, a{"text": "ls comp", "keys": []any{"tab"}, "until": "none"}, a{"expect": "ls completed", "press_enter": true, "timeout": 20})
	if data["output"] != "completed" {
		t.Errorf("a completed line: %s", text)
	}
	text, data = steps(t, c, id, nil, a{"keys": []any{"up"}, "until": "none"}, a{"expect": "ls completed", "press_enter": true, "timeout": 20})
	if data["output"] != "completed" {
		t.Errorf("a recalled line: %s", text)
	}
}

// TestStepsShape checks that start_process returns the output of the last step as its own
// output, and not with the step.
func TestStepsShape(t *testing.T) {
	c := connect(t, "test", manager(t), Options{Structured: StructuredOn})
	list := []any{a{"text": "echo one", "press_enter": true, "timeout": 20}, a{"text": "echo two", "press_enter": true, "timeout": 20}}
	data := call1(t, c, "start_process", shell(t, a{"steps": list, "timeout": patience.Seconds()}))
	if got := fmt.Sprint(data["output"], field[[]any](t, data, "steps")[0].(a)["output"], field[[]any](t, data, "steps")[1].(a)["output"]); got != "twoone<nil>" {
		t.Errorf("start_process: %s", got)
	}
}
