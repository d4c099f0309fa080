package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/relay"
	"github.com/glasstty/glasstty/session"
)

// A remoteCall is a tool call, or another request, on its way to another host.
type remoteCall struct {
	Name     string              `json:"name"` // the same for all repetitions, for the sessions
	Gateway  string              `json:"gateway"`
	Tool     string              `json:"tool,omitempty"`
	Method   string              `json:"method,omitempty"` // of a request that is no tool call
	Args     json.RawMessage     `json:"args,omitempty"`
	Actor    audit.Actor         `json:"actor"`
	Info     *mcp.Implementation `json:"info,omitempty"`     // what the client calls itself
	Observer string              `json:"observer,omitempty"` // set for a client that may only look
	Within   bool                `json:"within,omitempty"`   // from a program in a session
	Progress bool                `json:"progress,omitempty"` // is wanted
}

// remoteCall returns the part of a call for another host that says who makes the request.
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

// identity returns the call's identity on a host. A call that says something else, or
// comes from somebody else, has another.
func (r remoteCall) identity(host string) string {
	h := sha256.New()
	for _, part := range []string{host, r.Name, r.Tool, r.Method, string(r.Args), r.Actor.Via, r.Actor.Who, r.Observer, strconv.FormatBool(r.Within)} {
		io.WriteString(h, part)
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ReaderTools are the tools that change nothing but who reads, which clients that may
// only look are allowed too.
func ReaderTools() []string { return []string{"register_reader", "unregister_reader"} }

// metaRemote is the key in a call's _meta of its number in a Remote. Only the Remote's
// own client can reach its server.
const metaRemote = "glasstty/remote"

// A Remote makes the calls of other hosts on a Manager's sessions. It is safe for
// concurrent use.
type Remote struct {
	host   string
	srv    *Server
	client *mcp.ClientSession

	mu    sync.Mutex // guards what follows
	calls map[string]remoteTask
	last  int
}

// A remoteTask is a call under way.
type remoteTask struct {
	remoteCall
	progress func([]byte)
}

// withinKey is the context's key of a bool: whether a remote call comes from a program
// in one of its gateway's sessions.
type withinKey struct{}

// NewRemote returns a Remote for the sessions of mgr, which other hosts know by this
// host's name.
func NewRemote(ctx context.Context, mgr *session.Manager, o Options, host string) (*Remote, error) {
	o.Fleet, o.Structured = nil, StructuredOn
	o.Within = func(ctx context.Context) bool { within, _ := ctx.Value(withinKey{}).(bool); return within }
	srv, err := New(mgr, o)
	if err != nil {
		return nil, err
	}
	r := &Remote{host: host, srv: srv, calls: map[string]remoteTask{}}
	srv.mcp.AddReceivingMiddleware(r.arriving)
	theirs, ours := InProcess()
	if _, err := srv.mcp.Connect(ctx, theirs, nil); err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "glasstty-fleet", Version: srv.opt.Version}, &mcp.ClientOptions{
		ProgressNotificationHandler: r.progressed,
		Capabilities:                &mcp.ClientCapabilities{},
	})
	r.client, err = client.Connect(ctx, ours, nil)
	return r, err
}

// InProcess returns the two ends of a connection between a server and a client of one
// process. A message may have any length: with the limit of the SDK's in-memory transports,
// 16 MB, the client ends the connection, and with it all calls, at the first longer answer.
func InProcess() (server, client mcp.Transport) {
	theirs, ours := net.Pipe()
	return &mcp.IOTransport{Reader: theirs, Writer: theirs, MaxLineLength: -1},
		&mcp.IOTransport{Reader: ours, Writer: ours, MaxLineLength: -1}
}

// Close ends all calls.
func (r *Remote) Close() {
	r.srv.Stop()
	if err := r.client.Close(); err != nil {
		r.srv.opt.Logger.Debug("fleet", "err", err) // a call's end was on its way
	}
}

// Handle makes the call that a gateway's Fleet.Call was given, and returns its answer. One of
// more than limit bytes is replaced by an error.
func (r *Remote) Handle(ctx context.Context, body []byte, limit int, progress func([]byte)) []byte {
	var c remoteCall
	err := json.Unmarshal(body, &c)
	if err == nil && c.Name != "" && c.Method != "" {
		answer := mustJSON(r.answer(ctx, c, progress))
		if len(answer) > limit {
			answer = mustJSON(remoteResult{Error: r.tooLarge(len(answer), limit)})
		}
		return answer
	}
	if err != nil || c.Name == "" || c.Tool == "" {
		return mustJSON(failure(fmt.Sprintf("host %s cannot read the call (%v); is the gateway's glasstty of another version?", r.host, err)))
	}
	res, err := r.call(ctx, c, progress)
	if err != nil && ctx.Err() != nil {
		return nil // it may be made again, by the next gateway of a client that is back
	}
	if err != nil {
		res = failure(sentence(ctx, err))
	}
	r.prefixed(c.Tool, res)
	answer := mustJSON(res)
	if len(answer) > limit {
		answer = mustJSON(failure("the call was made, but " + r.tooLarge(len(answer), limit)))
	}
	return answer
}

// tooLarge says that an answer has too many bytes, and what to do instead.
func (r *Remote) tooLarge(size, limit int) string {
	return fmt.Sprintf("the answer of host %s has %d bytes, and one can have %d in the fleet; read less of it at once "+
		"(read_output with tail, from_line or search, snapshot with at), or write the whole recording to a file on host %[1]s: "+
		"glasstty export SESSION -o FILE", r.host, size, limit)
}

// call makes a call.
func (r *Remote) call(ctx context.Context, c remoteCall, progress func([]byte)) (*mcp.CallToolResult, error) {
	if c.Observer != "" && !r.srv.looks[c.Tool] && !slices.Contains(ReaderTools(), c.Tool) {
		return nil, fmt.Errorf("the token of this client may look and not touch, and %s does more", clip(c.Tool))
	}
	args, err := r.localArgs(c.Args)
	if err != nil {
		return nil, err
	}
	key, done := r.begin(remoteTask{c, progress})
	defer done()
	params := &mcp.CallToolParams{Name: c.Tool, Arguments: args, Meta: mcp.Meta{metaRemote: key, relay.MetaCall: c.Name}}
	if c.Info != nil {
		params.Meta[mcp.MetaKeyClientInfo] = c.Info
	}
	if c.Progress {
		params.SetProgressToken(key)
	}
	return r.client.CallTool(ctx, params)
}

// begin keeps a call until done is called.
func (r *Remote) begin(t remoteTask) (key string, done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	key = strconv.Itoa(r.last)
	r.calls[key] = t
	return key, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.calls, key)
	}
}

// task returns a call under way.
func (r *Remote) task(key any) (remoteTask, bool) {
	text, _ := key.(string)
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.calls[text]
	return t, ok
}

// errNotRemote refuses a call that was not begun here.
var errNotRemote = errors.New("this call has ended")

// arriving gives a call the context that it would have at its gateway.
func (r *Remote) arriving(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case methodCallTool, methodReadResource, methodGetPrompt:
		default:
			return next(ctx, method, req)
		}
		t, ok := r.task(req.GetParams().GetMeta()[metaRemote])
		if !ok {
			return nil, errNotRemote
		}
		a := t.Actor
		a.From = "gateway " + t.Gateway + ", " + a.Via + " " + a.From
		a.Via, a.Conn = "fleet", t.Gateway+"/"+a.Conn
		ctx = context.WithValue(audit.As(ctx, a), withinKey{}, t.Within)
		if t.Observer != "" {
			ctx = session.WithObserver(ctx, t.Gateway+"/"+t.Observer)
		}
		return next(ctx, method, req)
	}
}

// progressed passes on how a call goes.
func (r *Remote) progressed(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
	if t, ok := r.task(req.Params.ProgressToken); ok {
		t.progress(mustJSON(req.Params))
	}
}
