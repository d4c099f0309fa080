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

// A Fleet reaches the servers on other machines. The other server must pass the body of a Call to
// Remote.Handle.
type Fleet interface {
	// Name returns the name of this server.
	Name() string
	// RunsPrograms reports whether this server runs programs. A gateway does not.
	RunsPrograms() bool
	// DefaultHosts returns the selector of the hosts that run the programs of calls without a host,
	// or "" for this host.
	DefaultHosts() string
	// Pick returns the server named host or, if host is a selector, the least loaded server
	// that it matches.
	Pick(ctx context.Context, host string) (string, error)
	// Hosts returns the names of the servers that match a name or a selector: this one, if it runs
	// programs, and those that the client of ctx may use, except lost ones. An empty host matches all.
	Hosts(ctx context.Context, host string) ([]string, error)
	// NoHost returns the error for a name or a selector that matches none of the Hosts.
	NoHost(ctx context.Context, host string) error
	// Call makes a call on another server. If ctx ends with a cause other than ErrStopping, Call
	// cancels the call there. identity is the same for all repetitions of a call, and different for all
	// other calls. An error with a method Sent() bool means that the call may have been made.
	Call(ctx context.Context, host, identity string, body []byte, progress func([]byte)) ([]byte, error)
	// Recorded returns the latest recorded sessions of the servers that do not answer. It
	// includes only servers that match the name or selector host and that the client of ctx may
	// use. older is the number of older sessions, which it does not return; Call can read those too.
	Recorded(ctx context.Context, host string) (latest []RecordedSession, older int, err error)
}

// hostSeparator separates the host and the local id in the id of a session on another host.
const hostSeparator = "/"

// Tools that a fleet treats specially.
const (
	toolStart  = "start_process"
	toolList   = "list_sessions"
	toolDelete = "delete_session"
	toolInfo   = "get_session_info"
)

// hostDescriptions are the descriptions of the argument host of the tools that take it.
var hostDescriptions = map[string]string{
	toolStart: "where: a name, or labels as in os=linux",
	toolList:  "only on that host, or those with labels",
}

// addHost adds the argument host to the definition of a tool that takes it, if the server is in a
// fleet.
func (s *Server) addHost(def *mcp.Tool) {
	doc, ok := hostDescriptions[def.Name]
	if s.opt.Fleet == nil || !ok {
		return
	}
	if place := s.opt.Fleet.DefaultHosts(); def.Name == toolStart && (place != "" || s.opt.Fleet.RunsPrograms()) {
		doc += "; default: " + cmp.Or(place, "this server")
	}
	input := def.InputSchema.(*Schema)
	input.Properties = append(input.Properties, Property{"host", &Schema{Type: "string", Description: doc}})
}

// withForwarding returns a handler that forwards calls to the hosts of their sessions. The handler
// local handles calls for this host.
func (s *Server) withForwarding(local mcp.ToolHandler) mcp.ToolHandler {
	if s.opt.Fleet == nil {
		return local
	}
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args := map[string]json.RawMessage{}
		if len(req.Params.Arguments) > 0 && json.Unmarshal(req.Params.Arguments, &args) != nil {
			return local(ctx, req) // returns the error about the arguments
		}
		ctx, done := s.untilStopped(ctx)
		defer done()
		res, err := s.dispatch(ctx, req, args, local)
		if err != nil {
			return errorResult(ctx, err), nil
		}
		return res, nil
	}
}

// dispatch makes a call on the hosts that its arguments name, or on this one.
func (s *Server) dispatch(ctx context.Context, req *mcp.CallToolRequest, args map[string]json.RawMessage, local mcp.ToolHandler) (*mcp.CallToolResult, error) {
	if req.Params.Name == toolList {
		return s.listAll(ctx, req, args)
	}
	if groups := s.hostGroups(args); req.Params.Name == toolWait && len(groups) > 1 {
		return s.waitHosts(ctx, req, args, groups, local)
	}
	host, err := s.route(ctx, req.Params.Name, args)
	switch req = withArgs(req, args); {
	case err != nil:
		return nil, err
	case host == "":
		return local(ctx, req)
	case s.within(ctx) && !s.tools[req.Params.Name].readOnly:
		return nil, errWithinFleet
	}
	c := &call{srv: s, req: req}
	if req.Params.Name == toolConfirm {
		if err := c.askUserFirst(ctx); err != nil {
			return cmp.Or(c.heldAnswer(ctx, err), errorResult(ctx, err)), nil
		}
	}
	return s.forward(ctx, host, req, c.forwardProgress(ctx))
}

// withArgs returns a copy of a call with other arguments.
func withArgs(call *mcp.CallToolRequest, args map[string]json.RawMessage) *mcp.CallToolRequest {
	out, params := *call, *call.Params
	params.Arguments = mustJSON(args)
	out.Params = &params
	return &out
}

// errGateway is returned when a gateway is asked to start a program itself.
var errGateway = errors.New("this server is a gateway and runs no programs itself; give host, a name or labels")

// errNoNode is returned instead of errGateway if there is no node that the client may use.
var errNoNode = errors.New("this server is a gateway and runs no programs itself, and there is no node that you may use: " +
	"start glasstty serve with the fleet's --fleet URL on a machine that shall run programs, then repeat the call")

// maxNamed is the maximum number of hosts that an error lists after errGateway.
const maxNamed = 10

// route returns the host of a call, or "" for this host. For start_process, it removes the argument
// host from args.
func (s *Server) route(ctx context.Context, tool string, args map[string]json.RawMessage) (string, error) {
	if tool != toolStart {
		switch groups := s.hostGroups(args); len(groups) {
		case 0:
			return "", nil
		case 1:
			return groups[0].host, nil
		}
		return "", refuse("the sessions are on several hosts; only wait_for takes those in one call: make one call for each host")
	}
	host, err := takeHost(args)
	if host == "" && !s.within(ctx) {
		host = s.opt.Fleet.DefaultHosts()
	}
	switch {
	case err != nil:
		return "", err
	case host == "" && !s.opt.Fleet.RunsPrograms():
		hosts, err := s.opt.Fleet.Hosts(ctx, "")
		switch {
		case err != nil:
			return "", fmt.Errorf("%w; the nodes are not known: %w", errGateway, err)
		case len(hosts) == 0:
			return "", errNoNode
		}
		return "", fmt.Errorf("%w; there are %d: %s (list_sessions has all)", errGateway, len(hosts), strings.Join(hosts[:min(len(hosts), maxNamed)], ", "))
	case host == "":
		return "", nil
	}
	host, err = s.opt.Fleet.Pick(ctx, host)
	return s.otherHost(host), err
}

// otherHost returns the name of a host, or "" if the host is this one and runs programs.
func (s *Server) otherHost(host string) string {
	if s.opt.Fleet.RunsPrograms() && host == s.opt.Fleet.Name() {
		return ""
	}
	return host
}

// takeHost removes the argument host from args and returns it.
func takeHost(args map[string]json.RawMessage) (host string, err error) {
	var in struct {
		Host string `json:"host" min:"1"`
	}
	raw, ok := args["host"]
	if !ok {
		return "", nil
	}
	delete(args, "host")
	if err := decodeArgs(mustJSON(map[string]json.RawMessage{"host": raw}), &in); err != nil {
		return "", refuse("%w; give the name of a host, or labels as in os=linux", err)
	}
	return in.Host, nil
}

// hostOf returns the host of a session, or "" for this host.
func (s *Server) hostOf(ref string) string {
	host, _, ok := strings.Cut(ref, hostSeparator)
	if s.opt.Fleet == nil || !ok {
		return ""
	}
	return s.otherHost(host)
}

// errWithinFleet is returned to a program that runs in a session of this server and tries to
// change something on another machine.
var errWithinFleet = errors.New("this program runs in a session of this server; on other hosts it may only look at sessions, " +
	"because it must not leave the machine that its session was started on")

// askUserFirst must be called before a call confirms held input on another host, because that host
// cannot ask the client's user. If the client can ask, askUserFirst returns an error until the user
// has allowed the input.
func (c *call) askUserFirst(ctx context.Context) error {
	if err := c.readUserAnswer(ctx); err != nil {
		return err
	}
	in := new(confirmArgs)
	if err := decodeArgs(c.req.Params.Arguments, in); err != nil {
		return refuse("%w", err)
	}
	return c.checkAllowed(in.SessionID, in)
}

// forwardProgress returns a function that forwards another host's progress notifications to the
// client of the call, or nil if the client did not ask for progress.
func (c *call) forwardProgress(ctx context.Context) func([]byte) {
	token := c.req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	return func(data []byte) {
		var p mcp.ProgressNotificationParams
		if json.Unmarshal(data, &p) != nil {
			return
		}
		p.ProgressToken = token
		if err := c.req.Session.NotifyProgress(ctx, &p); err != nil {
			c.srv.opt.Logger.Debug("progress", "err", err)
		}
	}
}

// forward makes a tool call on another host. It does not check whether the call is allowed. It
// returns an error if the host does not answer, or if checkAnswer rejects the answer.
func (s *Server) forward(ctx context.Context, host string, req *mcp.CallToolRequest, progress func([]byte)) (*mcp.CallToolResult, error) {
	c := &call{req: req}
	r := s.remoteCall(ctx, req, methodCallTool, req.Params.Arguments)
	r.Tool, r.Progress = req.Params.Name, req.Params.GetProgressToken() != nil
	r.Name, r.Waited = cmp.Or(c.meta(relay.MetaCall), r.Name), c.waited()
	r.Actor.Conn = cmp.Or(r.Actor.Conn, fmt.Sprintf("%p", req.Session))
	res := new(mcp.CallToolResult)
	err := s.ask(ctx, host, r, progress, res)
	if err == nil {
		err = checkAnswer(host, r.Tool, res)
	}
	if err != nil {
		var open interface{ Sent() bool }
		if !s.tools[r.Tool].readOnly && (c.meta(relay.MetaWaited) != "" || errors.As(err, &open)) {
			err = withCheckFirst(err)
		}
		return nil, err
	}
	out := &mcp.CallToolResult{Content: res.Content, StructuredContent: res.StructuredContent, IsError: res.IsError}
	if res.Meta[MetaRefused] == true {
		out.Meta = mcp.Meta{MetaRefused: true}
	}
	return out, nil
}

// forwardWithin is forward with a time limit for the host's answer.
func (s *Server) forwardWithin(ctx context.Context, limit time.Duration, host string, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("host %s has not answered within %s", host, formatDuration(limit)))
	defer cancel()
	res, err := s.forward(ctx, host, req, nil)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return res, err
}

// ask makes a request on another host and decodes the result into out.
func (s *Server) ask(ctx context.Context, host string, r remoteCall, progress func([]byte), out any) error {
	answer, err := s.opt.Fleet.Call(ctx, host, r.identity(host), mustJSON(r), progress)
	if err != nil {
		return err
	}
	var res remoteResult
	if err = json.Unmarshal(answer, &res); err == nil {
		switch {
		case res.Missing:
			return errMissing
		case res.Error != "":
			return errors.New(markOtherHosts(host, res.Error))
		}
		err = json.Unmarshal(res.Result, out)
	}
	if err != nil {
		return answerError{fmt.Errorf("the answer of host %s cannot be read (%w); is its glasstty of another version?", host, err)}
	}
	return nil
}
