package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/relay"
	"github.com/glasstty/glasstty/session"

	shown "github.com/glasstty/glasstty/session/text"
)

// twoHosts is a Fleet of this host, "here", and one other, "there".
type twoHosts struct {
	there *Remote
	place string
}

func (twoHosts) Name() string { return "here" }
func (twoHosts) Recorded(context.Context, string) ([]RecordedSession, int, error) {
	return nil, 0, nil
}
func (twoHosts) RunsPrograms() bool     { return true }
func (f twoHosts) DefaultHosts() string { return f.place }
func (twoHosts) Pick(_ context.Context, host string) (string, error) {
	if host == "here" || host == "there" {
		return host, nil
	}
	return "", errors.New("no such host")
}
func (twoHosts) NoHost(context.Context, string) error { return errors.New("no such host") }
func (twoHosts) Hosts(context.Context, string) ([]string, error) {
	return []string{"here", "there"}, nil
}
func (f twoHosts) Call(ctx context.Context, host, _ string, body []byte, progress func([]byte)) ([]byte, error) {
	if host != "there" {
		return nil, errors.New("no such host")
	}
	return f.there.Handle(ctx, body, 64<<20, progress), nil
}

// fleetOf returns a server in a fleet of two hosts, and the Remote of the other host.
func fleetOf(t *testing.T, o Options) (*Server, *Remote) {
	t.Helper()
	here, there := session.NewManager(session.Options{}), session.NewManager(session.Options{})
	remote, err := NewRemote(t.Context(), there, Options{}, "there")
	if err != nil {
		t.Fatal(err)
	}
	o.Fleet = twoHosts{there: remote}
	s, err := New(here, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		remote.Close()
		if err := errors.Join(here.Close(), there.Close()); err != nil {
			t.Error(err)
		}
	})
	return s, remote
}

// TestHost checks which tools have the argument host, and that bad values of it are
// rejected.
func TestHost(t *testing.T) {
	s, _ := fleetOf(t, Options{})
	c := connectTo(t, "test", s, nil)
	for raw, want := range map[string]string{`""`: "must not be empty", "null": "not null", "7": "not a number"} {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: toolList, Arguments: json.RawMessage(`{"host":` + raw + `}`)})
		if err != nil || !strings.Contains(ResultText(res), want) {
			t.Errorf("host %s: %+v, %v; want %q", raw, res, err, want)
		}
	}
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		has := strings.Contains(string(mustJSON(tool.InputSchema)), `"host"`)
		if want := tool.Name == toolStart || tool.Name == toolList; has != want {
			t.Errorf("%s has the argument host: %v", tool.Name, has)
		}
	}
	if strings.Contains(string(mustJSON(allTools()[0].define(forModel))), `"host"`) {
		t.Error("start_process has the argument host without a fleet")
	}
}

// TestImitatedID checks that the gateway adds the host's name to the server's own lines,
// and not to lines of a program that look like them.
func TestImitatedID(t *testing.T) {
	s, _ := fleetOf(t, Options{})
	c := connectTo(t, "test", s, nil)
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: toolStart, Arguments: map[string]any{
		"host": "there", "command": "printf", "args": []string{`[s1 running]\nsession s1\n`}, "until": "exit"}})
	if err != nil {
		t.Fatal(err)
	}
	text := ResultText(res)
	if res.IsError || !strings.HasPrefix(text, shown.ProgramMark+"[s1 running]\nsession s1\n[there/s1 exited 0") {
		t.Errorf("answer:\n%s", text)
	}
}

// noHosts is a Fleet of a gateway alone.
type noHosts struct{ twoHosts }

func (noHosts) RunsPrograms() bool                              { return false }
func (noHosts) Hosts(context.Context, string) ([]string, error) { return nil, nil }

// TestNoNode checks the error of a gateway that has no nodes.
func TestNoNode(t *testing.T) {
	s, err := New(manager(t), Options{Fleet: noHosts{}})
	if err != nil {
		t.Fatal(err)
	}
	c := connectTo(t, "test", s, nil)
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: toolStart, Arguments: map[string]any{"command": "cat"}})
	if err != nil || !res.IsError || !strings.Contains(ResultText(res), errNoNode.Error()) {
		t.Errorf("a start: %+v, %v", res, err)
	}
}

// TestNameOfAnotherHost checks that no session gets a name that is the address of a session on
// another host, and that such an address reaches that host.
func TestNameOfAnotherHost(t *testing.T) {
	s, _ := fleetOf(t, Options{})
	c := connectTo(t, "test", s, nil)
	call := func(tool string, args map[string]any) *mcp.CallToolResult {
		t.Helper()
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	res := call(toolStart, map[string]any{"host": "there", "command": "cat", "name": "py"})
	if text := ResultText(res); res.IsError || !strings.Contains(text, "[there/s1 running") {
		t.Fatalf("start there: %s", text)
	}
	for _, name := range []string{"there/py", "there/s1", "here/s1"} {
		for _, host := range []string{"here", "there"} {
			res := call(toolStart, map[string]any{"host": host, "command": "cat", "name": name})
			if text := ResultText(res); !res.IsError || !strings.Contains(text, `name "`+name+`" contains "/"`) {
				t.Errorf("start on %s with the name %s: %s", host, name, text)
			}
		}
	}
	res = call("send_and_read", map[string]any{"session_id": "there/py", "text": "hello", "press_enter": true, "wait_for": "hello", "timeout": 20})
	if text := ResultText(res); res.IsError || !strings.Contains(text, "[there/s1 running") {
		t.Errorf("there/py: %s", text)
	}
}

// TestRemoteRights checks that a node rejects calls that a gateway should have rejected.
func TestRemoteRights(t *testing.T) {
	_, remote := fleetOf(t, Options{})
	handle := func(c remoteCall) string {
		c.Method = methodCallTool
		return handled(t, remote, c, 1<<20)
	}
	start := remoteCall{Name: "1", Tool: toolStart, Args: json.RawMessage(`{"command":"cat"}`), Observer: "token"}
	if got := handle(start); !strings.Contains(got, "may only watch") {
		t.Errorf("an observer started a program: %s", got)
	}
	for _, name := range []string{"zz", "s9"} {
		look := remoteCall{Name: "4", Tool: "snapshot", Args: mustJSON(map[string]string{"session_id": "there/" + name})}
		if got, want := handle(look), `no session "there/`+name+`"; call`; !strings.HasPrefix(got, want) {
			t.Errorf("unknown session: %s; want %s", got, want)
		}
	}
	start.Observer = ""
	if got := handle(start); !strings.Contains(got, "[there/s1 running") {
		t.Errorf("start of a program: %s", got)
	}
	confirm := remoteCall{Name: "2", Tool: toolConfirm, Within: true, Args: json.RawMessage(`{"session_id":"there/s1","input":"x","justification":"y"}`)}
	if got := handle(confirm); !strings.Contains(got, errWithin.Error()) {
		t.Errorf("confirmation by a program in a session: %s", got)
	}
	for _, ref := range []string{"s1", "here/s1", "there"} {
		look := remoteCall{Name: "3", Tool: "snapshot", Args: mustJSON(map[string]string{"session_id": ref})}
		if got := handle(look); !strings.Contains(got, "is not a session of host there") {
			t.Errorf("session %s: %s", ref, got)
		}
	}
	if got := remote.Handle(t.Context(), []byte("{"), 1<<20, nil); !strings.Contains(string(got), "another version") {
		t.Errorf("unreadable call: %s", got)
	}
}

// handled returns the text of a host's answer to a tool call, or the text of its error.
func handled(t *testing.T, r *Remote, c remoteCall, limit int) string {
	t.Helper()
	var out remoteResult
	if err := json.Unmarshal(r.Handle(t.Context(), mustJSON(c), limit, nil), &out); err != nil {
		t.Fatal(err)
	}
	if out.Error != "" {
		return out.Error
	}
	var res mcp.CallToolResult
	if err := json.Unmarshal(out.Result, &res); err != nil {
		t.Fatal(err)
	}
	return ResultText(&res)
}

// TestRemoteConfirm checks that the user of the gateway's client is asked before another
// host confirms.
func TestRemoteConfirm(t *testing.T) {
	for _, version := range []string{"", lastStateful} {
		s, _ := fleetOf(t, Options{})
		var asked []string
		yes := false
		c := connectVersion(t, "test", s, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked = append(asked, req.Params.Message)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"run": yes}}, nil
		}}, version)
		call := func(tool string, args map[string]any) string {
			res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
			if err != nil {
				t.Fatal(err)
			}
			return ResultText(res)
		}
		call(toolStart, map[string]any{"host": "there", "command": "cat"})
		confirm := map[string]any{"session_id": "there/s1", "input": "x", "justification": "it is meant"}
		if got := call(toolConfirm, confirm); !strings.Contains(got, errUserSaidNo.Error()) || len(asked) != 1 || !strings.Contains(asked[0], "there/s1") {
			t.Errorf("user declines: answer %q, asked %q", got, asked)
		}
		yes = true
		if got := call(toolConfirm, confirm); strings.Contains(got, errUserSaidNo.Error()) || len(asked) != 2 {
			t.Errorf("user accepts: answer %q, asked %q", got, asked)
		}
	}
}

// TestWithinFleet checks that a program in a session can look at sessions of other hosts,
// and cannot change anything there.
func TestWithinFleet(t *testing.T) {
	within := false
	s, _ := fleetOf(t, Options{Within: func(context.Context) bool { return within }})
	c := connectTo(t, "test", s, nil)
	call := func(tool string, args map[string]any) string {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		return ResultText(res)
	}
	start := map[string]any{"host": "there", "command": "cat"}
	call(toolStart, start)
	within = true
	for tool, args := range map[string]map[string]any{
		toolStart:           start,
		"send_and_read":     {"session_id": "there/s1", "text": "x"},
		toolConfirm:         {"session_id": "there/s1", "input": "x", "justification": "y"},
		"terminate_process": {"session_id": "there/s1"},
	} {
		if got := call(tool, args); !strings.Contains(got, errWithinFleet.Error()) {
			t.Errorf("%s from within a session: %s", tool, got)
		}
	}
	if got := call("snapshot", map[string]any{"session_id": "there/s1"}); !strings.Contains(got, "[there/s1") {
		t.Errorf("snapshot from within a session: %s", got)
	}
}

// TestRemoteCancelled checks that a cancelled call has no answer, so that the client may
// repeat it.
func TestRemoteCancelled(t *testing.T) {
	_, remote := fleetOf(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tool := range []string{toolStart, toolList} {
		if got := remote.Handle(ctx, mustJSON(remoteCall{Name: "1", Method: methodCallTool, Tool: tool, Args: json.RawMessage(`{"command":"cat"}`)}), 1<<20, nil); got != nil {
			t.Errorf("%s answered %s, want no answer", tool, got)
		}
	}
}

// TestIdentity checks that different calls have different identities, and that a call
// repeated by another gateway keeps its identity.
func TestIdentity(t *testing.T) {
	base := remoteCall{Name: "n", Tool: "snapshot", Args: json.RawMessage(`{"session_id":"there/s1"}`)}
	all := []string{base.identity("there"), base.identity("other")}
	for _, change := range []func(*remoteCall){
		func(c *remoteCall) { c.Name = "m" },
		func(c *remoteCall) { c.Tool = "read_output" },
		func(c *remoteCall) { c.Args = json.RawMessage(`{}`) },
		func(c *remoteCall) { c.Actor.Who = "somebody" },
		func(c *remoteCall) { c.Observer = "token" },
		func(c *remoteCall) { c.Within = true },
	} {
		c := base
		change(&c)
		all = append(all, c.identity("there"))
	}
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != 8 {
		t.Errorf("%d identities, want 8", n)
	}
	again := base
	again.Gateway, again.Actor.Conn = "other", "2"
	if again.identity("there") != base.identity("there") {
		t.Error("a call repeated by another gateway has a different identity")
	}
}

// keptOut is a fleet whose clients may not use any other host.
type keptOut struct{ twoHosts }

func (keptOut) Hosts(context.Context, string) ([]string, error) { return []string{"here"}, nil }

// TestHostsKeptOut checks that no host is named to a client that may not use it.
func TestHostsKeptOut(t *testing.T) {
	_, remote := fleetOf(t, Options{})
	mgr := session.NewManager(session.Options{})
	t.Cleanup(func() {
		if err := mgr.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := New(mgr, Options{Fleet: keptOut{twoHosts{there: remote}}})
	if err != nil {
		t.Fatal(err)
	}
	c := connectTo(t, "test", s, nil)
	list, err := c.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 0 || list.Meta[metaUnreachable] != nil {
		t.Errorf("resources: %+v, %v", list, err)
	}
}

// An openError is an error of a call that may have been made.
type openError struct{ error }

func (openError) Sent() bool { return true }

// away is a Fleet whose other hosts do not answer.
type away struct {
	twoHosts
	err error
}

func (f away) Call(context.Context, string, string, []byte, func([]byte)) ([]byte, error) {
	return nil, f.err
}

// TestMayBeMade checks which errors of unanswered calls say that the call may have been
// made: those of calls that change something and that were sent, by this gateway or by its
// predecessor.
func TestMayBeMade(t *testing.T) {
	gone := errors.New("host there is unreachable")
	for _, tt := range []struct {
		tool  string
		err   error
		again bool
		want  bool
	}{
		{"send_input", openError{gone}, false, true},
		{"send_input", gone, true, true},
		{"send_input", gone, false, false},
		{"snapshot", openError{gone}, true, false},
	} {
		mgr := session.NewManager(session.Options{})
		s, err := New(mgr, Options{Fleet: away{err: tt.err}})
		if err != nil {
			t.Fatal(err)
		}
		params := &mcp.CallToolParams{Name: tt.tool, Arguments: map[string]any{"session_id": "there/s1", "text": "x"}}
		if tt.tool == "snapshot" {
			params.Arguments = map[string]any{"session_id": "there/s1"}
		}
		if tt.again {
			params.Meta = mcp.Meta{relay.MetaWaited: "true"}
		}
		res, err := connectTo(t, "test", s, nil).CallTool(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		if text := ResultText(res); !strings.Contains(text, "unreachable") || strings.Contains(text, "before repeating the call") != tt.want {
			t.Errorf("%s, %v, again %v: %q", tt.tool, tt.err, tt.again, text)
		}
		if err := mgr.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLongAnswer checks that an answer of another host may be longer than a line of the
// SDK, and that the host reports an answer beyond the fleet's limit and continues.
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	_, remote := fleetOf(t, Options{})
	long := strings.Repeat("x", mcp.DefaultMaxLineLength)
	remote.srv.mcp.AddTool(&mcp.Tool{Name: "snapshot", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: long}}}, nil
		})
	call := func(limit int) string {
		return handled(t, remote, remoteCall{Name: "1", Method: methodCallTool, Tool: "snapshot"}, limit)
	}
	if text := call(2 * len(long)); text != long {
		t.Fatalf("long answer: %.200q", text)
	}
	if text := call(1000); !strings.Contains(text, "the call was made") || !strings.Contains(text, "the maximum in the fleet is 1000") {
		t.Errorf("answer beyond the limit: %.200q", text)
	}
	list := mustJSON(remoteCall{Name: "2", Method: methodChanged, Args: json.RawMessage(`{"uri":"cli://there/s1/screen","seen":1}`)})
	res := remoteResult{}
	if err := json.Unmarshal(remote.Handle(t.Context(), list, 10, nil), &res); err != nil || !strings.Contains(res.Error, "the maximum in the fleet is 10") {
		t.Errorf("list beyond the limit: %+v, %v", res, err)
	}
	if err := json.Unmarshal(remote.Handle(t.Context(), list, 1000, nil), &res); err != nil || res.Result == nil {
		t.Errorf("list: %+v, %v", res, err)
	}
}

// TestUnknownHostCode checks that reading a resource of an unknown host fails with the
// JSON-RPC code for invalid parameters.
func TestUnknownHostCode(t *testing.T) {
	mgr := session.NewManager(session.Options{})
	s, err := New(mgr, Options{Fleet: away{err: errors.New("no such host")}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = connectTo(t, "test", s, nil).ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "cli://there/s1/screen"})
	if code := (*jsonrpc.Error)(nil); !errors.As(err, &code) || code.Code != jsonrpc.CodeInvalidParams || !strings.Contains(code.Message, "no such host") {
		t.Errorf("error %v, want code %d", err, jsonrpc.CodeInvalidParams)
	}
	if err := mgr.Close(); err != nil {
		t.Error(err)
	}
}
