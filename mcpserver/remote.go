package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/relay"
	"github.com/glasstty/glasstty/session"
)

// A remoteCall is a tool call, or another request, on its way to another host.
type remoteCall struct {
	Name     string             `json:"name"` // the same for all repetitions of the call
	Gateway  string             `json:"gateway"`
	Tool     string             `json:"tool,omitempty"`
	Method   string             `json:"method,omitempty"` // of a request that is not a tool call
	Args     json.RawMessage    `json:"args,omitempty"`
	Actor    audit.Actor        `json:"actor"`
	Info     mcp.Implementation `json:"info"`               // what the client calls itself
	Observer string             `json:"observer,omitempty"` // set for a client that may only look
	Within   bool               `json:"within,omitempty"`   // made by a program in a session
	Progress bool               `json:"progress,omitempty"` // the client wants progress notifications
}

// remoteCall returns a call for another host with the fields that identify it and the client.
func (s *Server) remoteCall(ctx context.Context, req mcp.Request) remoteCall {
	return remoteCall{
		Name:     rand.Text(),
		Gateway:  s.opt.Fleet.Name(),
		Actor:    s.actor(ctx, req),
		Info:     clientInfo(req),
		Observer: session.Observer(ctx),
		Within:   s.within(ctx),
	}
}

// identity returns the call's identity on a host. It differs for other contents and for other
// clients.
func (r remoteCall) identity(host string) string {
	h := sha256.New()
	for _, part := range []string{host, r.Name, r.Tool, r.Method, string(r.Args), r.Actor.Via, r.Actor.Who, r.Observer, strconv.FormatBool(r.Within)} {
		io.WriteString(h, part)
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A Remote makes the calls of other hosts on a Manager's sessions. It is safe for
// concurrent use.
type Remote struct {
	srv     *Server
	session *mcp.ServerSession // used for all requests; nothing is sent on it
	serve   mcp.MethodHandler  // handles requests with all of srv's middleware
}

// withinKey is the context key for a bool that reports whether a remote call comes from a
// program in one of its gateway's sessions.
type withinKey struct{}

// NewRemote returns a Remote for the sessions of mgr. Other hosts know this one as host.
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
	if err != nil || c.Name == "" || c.Tool == "" && c.Method == "" {
		return mustJSON(failure(fmt.Sprintf("host %s cannot read the call (%v); is the gateway's glasstty of another version?", r.srv.opt.host, err)))
	}
	ctx = c.context(ctx, progress)
	if c.Method != "" {
		answer := mustJSON(r.answer(ctx, c, progress))
		if len(answer) > limit {
			answer = mustJSON(remoteResult{Error: r.tooLarge(len(answer), limit)})
		}
		return answer
	}
	res, err := r.call(ctx, c)
	if ctx.Err() != nil {
		return nil // a client that reconnects may repeat the call through another gateway
	}
	if err != nil {
		res = failure(sentence(ctx, err))
	}
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok && res.IsError {
			t.Text = r.srv.naming(t.Text)
		}
	}
	if rec := recordingOf(ctx); rec.note != "" {
		res.Content = append(res.Content, &mcp.TextContent{Text: bracket([]string{rec.note})})
	}
	answer := mustJSON(res)
	if len(answer) > limit {
		answer = mustJSON(failure("the call was made, but " + r.tooLarge(len(answer), limit)))
	}
	return answer
}

// tooLarge returns the text that an answer has too many bytes, and what to do instead.
func (r *Remote) tooLarge(size, limit int) string {
	return fmt.Sprintf("the answer of host %s has %d bytes, and one can have %d in the fleet; read less of it at once "+
		"(read_output with tail, from_line or search, snapshot with at), or write the whole recording to a file on host %[1]s: "+
		"glasstty export SESSION -o FILE", r.srv.opt.host, size, limit)
}

// call makes a tool call on this host.
func (r *Remote) call(ctx context.Context, c remoteCall) (*mcp.CallToolResult, error) {
	if c.Observer != "" && !r.srv.tools[c.Tool].looks() {
		return nil, fmt.Errorf("the token of this client may look and not touch, and %s does more", clip(c.Tool))
	}
	params := &mcp.CallToolParamsRaw{Name: c.Tool, Arguments: c.Args, Meta: c.meta()}
	params.Meta[relay.MetaCall] = c.Name
	if c.Progress {
		params.SetProgressToken(c.Name)
	}
	res, err := r.serve(ctx, methodCallTool, &mcp.CallToolRequest{Session: r.session, Params: params})
	if err != nil {
		return nil, err
	}
	return res.(*mcp.CallToolResult), nil
}

// meta returns the _meta of the call's request on this host.
func (r remoteCall) meta() mcp.Meta { return mcp.Meta{mcp.MetaKeyClientInfo: &r.Info} }

// context returns ctx with the call's actor, observer and progress, as the gateway sees them.
func (r remoteCall) context(ctx context.Context, progress func([]byte)) context.Context {
	a := r.Actor
	a.From = "gateway " + r.Gateway + ", " + a.Via + " " + a.From
	a.Via, a.Conn = "fleet", r.Gateway+"/"+a.Conn
	ctx = context.WithValue(audit.As(ctx, a), withinKey{}, r.Within)
	ctx = context.WithValue(ctx, progressKey{}, progress)
	if r.Observer != "" {
		ctx = session.WithObserver(ctx, r.Gateway+"/"+r.Observer)
	}
	return ctx
}
