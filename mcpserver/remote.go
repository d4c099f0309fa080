package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/relay"
	"github.com/glasstty/glasstty/session"
)

// A remoteCall is a request to another host: a tool call, or a call of another method.
type remoteCall struct {
	Name     string             `json:"name"`    // the same for all repetitions of the call
	Gateway  string             `json:"gateway"` // the name of the server that sends the request
	Method   string             `json:"method"`
	Tool     string             `json:"tool,omitempty"` // of tools/call
	Args     json.RawMessage    `json:"args,omitempty"` // of a tool; for another method, its one argument
	Actor    audit.Actor        `json:"actor"`
	Info     mcp.Implementation `json:"info"`               // the client's name and version
	Observer string             `json:"observer,omitempty"` // set for a client that may only watch
	Within   bool               `json:"within,omitempty"`   // made by a program in a session
	Progress bool               `json:"progress,omitempty"` // the client wants progress notifications
	Waited   time.Duration      `json:"waited,omitempty"`   // time since the client first made the call
}

// AddWaited returns the body of a call with waited added to the time that the client has waited, so
// that the call can be sent again. body was passed to Fleet.Call.
func AddWaited(body []byte, waited time.Duration) []byte {
	var c remoteCall
	if json.Unmarshal(body, &c) != nil {
		return body
	}
	c.Waited += waited
	return mustJSON(c)
}

// A remoteResult is the answer to a remoteCall.
type remoteResult struct {
	Result  json.RawMessage `json:"result,omitempty"`
	Error   string          `json:"error,omitempty"`   // why there is no Result
	Missing bool            `json:"missing,omitempty"` // there is no such resource
}

// remoteCall returns a request of a client for another host.
func (s *Server) remoteCall(ctx context.Context, req mcp.Request, method string, args any) remoteCall {
	return remoteCall{
		Name:     rand.Text(),
		Gateway:  s.opt.Fleet.Name(),
		Method:   method,
		Args:     mustJSON(args),
		Actor:    s.actor(ctx, req),
		Info:     clientInfo(req),
		Observer: session.Observer(ctx),
		Within:   s.within(ctx),
	}
}

// identity returns the call's identity on a host. Calls with other contents or from other clients
// have other identities. If another gateway repeats the call, the identity is the same.
func (r remoteCall) identity(host string) string {
	sum := sha256.Sum256(mustJSON([]any{
		host, r.Name, r.Method, r.Tool, string(r.Args), r.Actor.Via, r.Actor.Who, r.Observer, r.Within,
	}))
	return hex.EncodeToString(sum[:])
}

// A Remote handles the calls of other hosts for a Manager's sessions. It is safe for concurrent use.
type Remote struct {
	srv     *Server
	session *mcp.ServerSession // used for all requests; nothing is sent on it
	serve   mcp.MethodHandler  // handles requests with all of srv's middleware
}

// withinKey is the context key for a bool that reports whether a remote call comes from a
// program in one of its gateway's sessions.
type withinKey struct{}

// NewRemote returns a Remote for the sessions of mgr. host is the name of this host in the fleet.
func NewRemote(ctx context.Context, mgr *session.Manager, o Options, host string) (*Remote, error) {
	o.Fleet, o.Structured, o.host = nil, StructuredOn, host
	o.Within = func(ctx context.Context) bool { within, _ := ctx.Value(withinKey{}).(bool); return within }
	srv, err := New(mgr, o)
	if err != nil {
		return nil, err
	}
	r := &Remote{srv: srv}
	srv.mcp.AddReceivingMiddleware(func(serve mcp.MethodHandler) mcp.MethodHandler {
		r.serve = serve
		return serve
	})
	theirs, _ := mcp.NewInMemoryTransports()
	r.session, err = srv.mcp.Connect(ctx, theirs, nil)
	return r, err
}

// Close ends all calls.
func (r *Remote) Close() {
	r.srv.Stop()
	if err := r.session.Close(); err != nil {
		r.srv.opt.Logger.Debug("fleet", "err", err)
	}
}

// Handle makes the call in body, which a gateway passed to Fleet.Call, and returns the answer.
// An answer of more than limit bytes is replaced by an error. Handle returns nil if ctx ends
// during a tool call.
func (r *Remote) Handle(ctx context.Context, body []byte, limit int, progress func([]byte)) []byte {
	var c remoteCall
	err := json.Unmarshal(body, &c)
	if err != nil || c.Name == "" || c.Method == "" {
		return mustJSON(remoteResult{Error: fmt.Sprintf("host %s cannot read the call (%v); is the gateway's glasstty of another version?", r.srv.opt.host, err)})
	}
	ctx = c.callerContext(ctx, progress)
	res, err := r.request(ctx, c)
	tool := c.Method == methodCallTool
	if tool && ctx.Err() != nil {
		return nil // a client that reconnects may repeat the call through another gateway
	}
	out := remoteResult{Missing: errors.Is(err, errMissing)}
	if err != nil {
		out.Error = r.srv.qualifyIDs(errorForModel(ctx, err))
	} else {
		out.Result = mustJSON(res)
	}
	answer := mustJSON(out)
	if len(answer) > limit {
		why := fmt.Sprintf("the answer of host %s has %d bytes, and the maximum in the fleet is %d; read less of it at once "+
			"(read_output with tail, from_line or search, snapshot with at), or write the whole recording to a file on host %[1]s: "+
			"glasstty export SESSION -o FILE", r.srv.opt.host, len(answer), limit)
		answer = mustJSON(remoteResult{Error: textIf(tool, "the call was made, but ") + why})
	}
	return answer
}

// Unread marks the output that the call in body has read as unread again, because the client has
// not received it. It reports whether the call has read output. If so, the caller must pass a repetition
// of the call to Handle, instead of sending the first answer again.
func (r *Remote) Unread(body []byte) (again bool) {
	var c remoteCall
	return json.Unmarshal(body, &c) == nil && r.srv.mgr.MarkUnread(c.Name+stepSeparator)
}

// request makes a request on this host.
func (r *Remote) request(ctx context.Context, c remoteCall) (any, error) {
	switch c.Method {
	case methodCallTool:
		return r.call(ctx, c)
	case methodReadResource:
		return withDecodedArgs(c, func(uri string) (any, error) {
			if r.srv.state(uri) == 0 {
				return nil, errMissing
			}
			return r.serve(ctx, c.Method, &mcp.ReadResourceRequest{Session: r.session, Params: &mcp.ReadResourceParams{Meta: c.meta(), URI: uri}})
		})
	case methodChanged:
		return withDecodedArgs(c, func(w watchedResource) (any, error) {
			ctx, cancel := context.WithTimeout(ctx, watchTime)
			defer cancel()
			return r.srv.changed(ctx, w), nil
		})
	}
	return nil, fmt.Errorf("host %s does not know the request %q; is the gateway's glasstty of another version?", r.srv.opt.host, clip(c.Method))
}

// withDecodedArgs calls do with the decoded arguments of a request.
func withDecodedArgs[T any](c remoteCall, do func(T) (any, error)) (any, error) {
	var args T
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, fmt.Errorf("the request %s cannot be read: %w", c.Method, err)
	}
	return do(args)
}

// call makes a tool call on this host.
func (r *Remote) call(ctx context.Context, c remoteCall) (*mcp.CallToolResult, error) {
	if c.Observer != "" && !r.srv.tools[c.Tool].observersMayCall() {
		return nil, fmt.Errorf("the token of this client may only watch, and %s does more", clip(c.Tool))
	}
	params := &mcp.CallToolParamsRaw{Name: c.Tool, Arguments: c.Args, Meta: c.meta()}
	params.Meta[relay.MetaCall], params.Meta[relay.MetaWaited] = c.Name, c.Waited.String()
	if c.Progress {
		params.SetProgressToken(c.Name)
	}
	answer, err := r.serve(ctx, c.Method, &mcp.CallToolRequest{Session: r.session, Params: params})
	if err != nil {
		return nil, err
	}
	res := answer.(*mcp.CallToolResult)
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok && res.IsError {
			t.Text = r.srv.qualifyIDs(t.Text)
		}
	}
	if note := recordingOf(ctx).note; note != "" {
		res.Content = append(res.Content, &mcp.TextContent{Text: bracket([]string{note})})
	}
	return res, nil
}

// meta returns the _meta of the call's request on this host.
func (r remoteCall) meta() mcp.Meta { return mcp.Meta{mcp.MetaKeyClientInfo: &r.Info} }

// callerContext returns ctx with the progress function and with the gateway's data about the caller:
// its actor, its observer, and whether it runs in a session.
func (r remoteCall) callerContext(ctx context.Context, progress func([]byte)) context.Context {
	a := r.Actor
	a.From = "gateway " + r.Gateway + ", " + a.Via + " " + a.From
	a.Via, a.Conn = "fleet", r.Gateway+"/"+a.Conn
	ctx = context.WithValue(audit.WithActor(ctx, a), withinKey{}, r.Within)
	ctx = context.WithValue(ctx, progressKey{}, progress)
	if r.Observer != "" {
		ctx = session.WithObserver(ctx, r.Gateway+"/"+r.Observer)
	}
	return ctx
}
