package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/relay"
)

// A Fleet reaches the servers of other machines. Bytes that Call is given are for the
// Handle of a Remote there.
type Fleet interface {
	// Name returns the name of this server.
	Name() string
	// Runs reports whether this server runs programs, and is no mere gateway.
	Runs() bool
	// Place returns the selector of the hosts on which programs are started that name
	// none, "" for this one.
	Place() string
	// Allowed reports whether the client of a context may use a host.
	Allowed(ctx context.Context, host string) bool
	// Pick returns the name of a server: the one that is named, or of those that a
	// selector means the least loaded.
	Pick(ctx context.Context, host string) (string, error)
	// Hosts returns the servers that a name or a selector means, "" for all.
	Hosts(host string) ([]Host, error)
	// NoHost returns the error for a name or a selector that means none of the Hosts.
	NoHost(ctx context.Context, host string) error
	// Call has a server make a call. The identity is that of the call and of its
	// repetitions alone. An error with a method Sent says that the call may have been made
	// all the same.
	Call(ctx context.Context, host, identity string, body []byte, progress func([]byte)) ([]byte, error)
	// Recorded returns the sessions of the servers that do not answer, of those that a
	// name or a selector means, and of which there are recordings. Call reads these.
	Recorded(ctx context.Context, host string) ([]RecordedSession, error)
}

// A Host is a server of the fleet.
type Host struct {
	Name string
	Away time.Duration // how long it has not answered, 0 when it does
}

// hostSeparator stands in a session's id between its host and its id there.
const hostSeparator = "/"

// The tools that are treated differently in a fleet.
const (
	toolStart  = "start_process"
	toolList   = "list_sessions"
	toolDelete = "delete_session"
	toolInfo   = "get_session_info"
)

// hostArgs are what the argument host means to the tools that take it.
var hostArgs = map[string]string{
	toolStart: "where: a name, or labels as in os=linux",
	toolList:  "only there",
}

// forFleet adds to a tool the argument that it has in a fleet alone.
func (s *Server) forFleet(t tool, def *mcp.Tool) *mcp.Tool {
	doc, ok := hostArgs[t.name]
	if s.opt.Fleet == nil || !ok {
		return def
	}
	n := inputSchema(t.in, forModel)
	n.Properties = append(n.Properties, property{"host", schemaNode{Type: "string", Description: doc}})
	def.InputSchema = mustJSON(n)
	return def
}

// forwarded makes calls where their sessions are.
func (s *Server) forwarded(local mcp.ToolHandler) mcp.ToolHandler {
	if s.opt.Fleet == nil {
		return local
	}
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args := map[string]json.RawMessage{}
		if len(req.Params.Arguments) > 0 && json.Unmarshal(req.Params.Arguments, &args) != nil {
			return local(ctx, req) // which says what is wrong
		}
		ctx, done := s.untilStopped(ctx)
		defer done()
		if req.Params.Name == toolList {
			return s.listAll(ctx, req, args, local)
		}
		if groups := s.hostGroups(args); req.Params.Name == toolWait && len(groups) > 1 {
			return s.waitHosts(ctx, req, args, groups, local)
		}
		to, err := s.route(ctx, req.Params.Name, args)
		if err != nil {
			return failed(ctx, err), nil
		}
		if to.rewritten {
			req = withArgs(req, args)
		}
		if to.host == "" {
			return local(ctx, req)
		}
		return s.forward(ctx, to.host, req)
	}
}

// withArgs returns a call with other arguments.
func withArgs(call *mcp.CallToolRequest, args map[string]json.RawMessage) *mcp.CallToolRequest {
	out, params := *call, *call.Params
	params.Arguments = mustJSON(args)
	out.Params = &params
	return &out
}

// errGateway is returned where nothing runs.
var errGateway = errors.New("this server is a gateway and runs no programs itself; say where with host, a name or labels (glasstty fleet lists both)")

// A destination is where a call is to be made.
type destination struct {
	host      string // "" for this one
	rewritten bool   // its arguments are others than before
}

// route returns where a call is to be made, and takes out of its arguments what only
// says so.
func (s *Server) route(ctx context.Context, tool string, args map[string]json.RawMessage) (destination, error) {
	if tool != toolStart {
		return s.routeSessions(args)
	}
	host, err := takeHost(args)
	if host == "" && !s.within(ctx) {
		host = s.opt.Fleet.Place()
	}
	switch {
	case err != nil:
		return destination{}, err
	case host == "" && !s.opt.Fleet.Runs():
		return destination{}, errGateway
	case host == "":
		return destination{}, nil
	}
	host, err = s.opt.Fleet.Pick(ctx, host)
	return destination{s.unlessHere(host), true}, err
}

// unlessHere returns a host's name, "" for that of this server.
func (s *Server) unlessHere(host string) string {
	if s.opt.Fleet.Runs() && host == s.opt.Fleet.Name() {
		return ""
	}
	return host
}

// takeHost takes the argument host out of args.
func takeHost(args map[string]json.RawMessage) (host string, err error) {
	raw, ok := args["host"]
	if !ok {
		return "", nil
	}
	err = json.Unmarshal(raw, &host)
	if err == nil && host == "" && string(raw) != "null" {
		return "", refuse(`argument "host" is empty; give the name of a host, or labels as in os=linux, or leave it out`)
	}
	if err != nil || host == "" {
		return "", refuse(`argument "host" must be the name of a host, or labels as in os=linux, not %s`, describe(raw))
	}
	delete(args, "host")
	return host, nil
}

// routeSessions returns where the sessions are that a call names.
func (s *Server) routeSessions(args map[string]json.RawMessage) (destination, error) {
	var one string
	if json.Unmarshal(args["session_id"], &one) == nil {
		host, id := s.hostOf(one)
		args["session_id"] = mustJSON(id)
		return destination{host, id != one}, nil
	}
	var all []string
	if json.Unmarshal(args["session_ids"], &all) != nil || len(all) == 0 {
		return destination{}, nil
	}
	to := destination{}
	for i, ref := range all {
		host, id := s.hostOf(ref)
		if i > 0 && host != to.host {
			return to, refuse("the sessions are on several hosts; only wait_for takes those in one call: make one call for each host")
		}
		to.host, to.rewritten = host, to.rewritten || id != ref
		all[i] = id
	}
	args["session_ids"] = mustJSON(all)
	return to, nil
}

// hostOf returns the host of a session, "" for this one, and its id or name as that host
// is told it. A session of this server is found first: its name may have a slash in it.
func (s *Server) hostOf(ref string) (host, id string) {
	before, after, ok := strings.Cut(ref, hostSeparator)
	if _, err := s.mgr.Session(ref); !ok || err == nil {
		return "", ref
	}
	if host = s.unlessHere(before); host == "" {
		return "", after
	}
	return host, ref
}

// errWithinFleet is returned to a program that runs in a session of this server and would
// do something on another machine.
var errWithinFleet = errors.New("this program runs in a session of this server, and may look at the sessions of other hosts only: " +
	"it would leave the machine that its session was started on")

// forward has a host make a call.
func (s *Server) forward(ctx context.Context, host string, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := &call{srv: s, req: req}
	if s.within(ctx) && !s.looks[req.Params.Name] {
		return failed(ctx, errWithinFleet), nil
	}
	if res := c.askHere(ctx); res != nil {
		return res, nil
	}
	res, err := s.carry(ctx, host, req, c.progress(ctx))
	if err != nil {
		return failed(ctx, err), nil
	}
	return res, nil
}

// carry has a host make a tool call that may be made there. The error says that the host
// has not answered, or not in a way that can be read.
func (s *Server) carry(ctx context.Context, host string, req *mcp.CallToolRequest, progress func([]byte)) (*mcp.CallToolResult, error) {
	r := s.remoteCall(ctx, req)
	r.Tool, r.Args = req.Params.Name, req.Params.Arguments
	r.Progress = req.Params.GetProgressToken() != nil
	r.Name = cmp.Or((&call{req: req}).meta(relay.MetaCall), r.Name)
	r.Actor.Conn = cmp.Or(r.Actor.Conn, fmt.Sprintf("%p", req.Session))
	res := new(mcp.CallToolResult)
	err := s.callHost(ctx, host, r, progress, res)
	if err == nil {
		err = checkAnswer(host, r.Tool, res)
	}
	if err != nil {
		var open interface{ Sent() bool }
		if again := (&call{req: req}).meta(relay.MetaAgain) != ""; !s.looks[r.Tool] && (again || errors.As(err, &open)) {
			err = sent(err)
		}
		return nil, err
	}
	return &mcp.CallToolResult{Content: res.Content, StructuredContent: res.StructuredContent, IsError: res.IsError, Meta: refusedMeta(res)}, nil
}

// callHost has a host answer a request, and decodes its answer into out.
func (s *Server) callHost(ctx context.Context, host string, r remoteCall, progress func([]byte), out any) error {
	answer, err := s.opt.Fleet.Call(ctx, host, r.identity(host), mustJSON(r), progress)
	if err != nil {
		return err
	}
	return decodeAnswer(host, answer, out)
}

// decodeAnswer decodes what a host has answered into out.
func decodeAnswer(host string, answer []byte, out any) error {
	if err := json.Unmarshal(answer, out); err != nil {
		return answerError{fmt.Errorf("the answer of host %s cannot be read (%w); is its glasstty of another version?", host, err)}
	}
	return nil
}

// refusedMeta returns what a failed result's _meta says of ours.
func refusedMeta(res *mcp.CallToolResult) mcp.Meta {
	if res.Meta[MetaRefused] == true {
		return mcp.Meta{MetaRefused: true}
	}
	return nil
}
