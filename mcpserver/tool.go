package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"reflect"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/relay"
	"github.com/glasstty/glasstty/session"
)

// A tool is the definition of an MCP tool with its handler.
type tool struct {
	name  string
	doc   string // the description, for the model
	hints hints
	in    reflect.Type // the struct of the arguments
	out   reflect.Type // the struct of the structured content
	run   func(ctx context.Context, c *call, args json.RawMessage) (*answer, error)
}

// hints are the tool annotations of MCP. Each is sent, true or false, because the defaults of the
// protocol (destructive, open world) are wrong for most tools.
type hints struct {
	readOnly    bool
	destructive bool
	idempotent  bool
	openWorld   bool

	reader bool // the tool changes only the readers of a session; not sent to clients
}

// observersMayCall reports whether clients that may only watch may call the tool.
func (h hints) observersMayCall() bool { return h.readOnly || h.reader }

// newTool returns a tool whose handler takes arguments of type In and answers with an Out. The
// handler gets only arguments that decodeArgs has accepted.
func newTool[Out, In any](name, doc string, h hints, handle func(context.Context, *call, *In) (*answer, error)) tool {
	return tool{
		name:  name,
		doc:   doc,
		hints: h,
		in:    reflect.TypeFor[In](),
		out:   reflect.TypeFor[Out](),
		run: func(ctx context.Context, c *call, args json.RawMessage) (*answer, error) {
			in := new(In)
			if err := decodeArgs(args, in); err != nil {
				return nil, refuse("%w", err)
			}
			return handle(ctx, c, in)
		},
	}
}

// oneSession is the argument of a tool about one session.
type oneSession struct {
	SessionID string `json:"session_id" need:"true" doc:"id or name"`
}

func (o oneSession) ref() string { return o.SessionID }

// sessionTool is newTool for a tool about one session. The handler gets the session, which must
// exist. If In has a method check, the tool first calls it.
func sessionTool[Out any, In interface{ ref() string }](name, doc string, h hints, handle func(context.Context, *call, *session.Session, *In) (*answer, error)) tool {
	return newTool[Out](name, doc, h, func(ctx context.Context, c *call, in *In) (*answer, error) {
		if args, ok := any(in).(interface{ check() error }); ok {
			if err := args.check(); err != nil {
				return nil, err
			}
		}
		s, err := c.srv.session((*in).ref())
		if err != nil {
			return nil, err
		}
		return handle(ctx, c, s, in)
	})
}

// A call is one tools/call that is being handled.
type call struct {
	srv *Server
	req *mcp.CallToolRequest
	// steps is the number of contexts that stepContext has returned.
	steps int
	// recording is set if the call is answered from a recording, because the session's host does
	// not answer.
	recording recording
	// accepted is the held input that the client's user has allowed, or nil.
	accepted *heldRef
}

// An answer is a result in both of its forms.
type answer struct {
	text  string // for the model: body, then one status line
	data  any    // for structuredContent
	image []byte // a PNG
	err   error  // the failure that the answer describes; nil for success
}

// register adds t to the SDK's server.
func (s *Server) register(t tool) {
	def := t.define(forModel)
	s.addHost(def)
	def.InputSchema = mustJSON(def.InputSchema)
	s.mcp.AddTool(def, s.withForwarding(func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, done := s.untilStopped(s.withClient(ctx, req))
		defer done()
		c := &call{srv: s, req: req, recording: recordingOf(ctx)}
		err := c.readUserAnswer(ctx)
		var a *answer
		if err == nil {
			a, err = t.run(ctx, c, req.Params.Arguments)
		}
		why := err
		if a != nil && a.err != nil {
			why = a.err
		}
		setOutcome(ctx, why, c.accepted != nil || t.name == toolConfirm)
		if err != nil {
			if res := c.heldAnswer(ctx, err); res != nil {
				return res, nil
			}
			return errorResult(ctx, err), nil
		}
		return a.result(), nil
	}))
}

// withClient returns a context with the client's identity. A client with a relay is identified by the
// relay's ID, which stays the same when the relay connects to a restarted server or another gateway.
// An HTTP client without an MCP session is identified by its token, its address, and the name that it
// gives itself. Any other client is identified by its connection.
func (s *Server) withClient(ctx context.Context, req *mcp.CallToolRequest) context.Context {
	a := s.actor(ctx, req)
	id := strings.Join([]string{a.Via, a.Who, a.Conn, a.Client}, "\x00")
	relayID := relay.ClientID((&call{req: req}).meta(relay.MetaCall))
	switch {
	case relayID != "":
		id = strings.Join([]string{a.Via, a.Who, "relay", relayID, a.Client}, "\x00")
	case a.Conn == "" && a.Via == "http":
		host, _, _ := net.SplitHostPort(a.From) // "" without an address
		id += "\x00" + host
	case a.Conn == "":
		id += fmt.Sprintf("\x00%p", req.Session) // differs for each connection
	}
	return session.WithClient(ctx, id, a.Client)
}

// untilStopped returns a context that also ends when the Server stops, because the SDK would wait
// for calls in flight without cancelling them. If the Server has stopped, the cause is ErrStopping,
// even if parent has ended too. The caller must call the returned function.
func (s *Server) untilStopped(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	end := func() {
		if s.stopping.Err() != nil {
			cancel(ErrStopping)
		}
		cancel(context.Cause(parent))
	}
	unstop, unend := context.AfterFunc(s.stopping, end), context.AfterFunc(parent, end)
	return ctx, func() {
		unstop()
		unend()
		cancel(nil)
	}
}

// define returns the MCP definition of t. use decides which arguments and descriptions the schema has.
func (t tool) define(use schemaUse) *mcp.Tool {
	h := t.hints
	return &mcp.Tool{
		Name:         t.name,
		Description:  t.doc,
		InputSchema:  objectSchema(t.in, use),
		OutputSchema: mustJSON(objectSchema(t.out, forResult)),
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint:    h.readOnly,
			DestructiveHint: &h.destructive,
			IdempotentHint:  h.idempotent,
			OpenWorldHint:   &h.openWorld,
		},
	}
}

// mustJSON encodes v. It panics on an error, so v must be of one of our types or decoded from JSON.
func mustJSON(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("mcpserver: encode %T: %v", v, err))
	}
	return bytes.TrimSpace(b.Bytes())
}

// result renders a as an MCP result.
func (a *answer) result() *mcp.CallToolResult {
	r := &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: a.text}},
		StructuredContent: a.data,
		IsError:           a.err != nil,
	}
	if a.image != nil {
		r.Content = append(r.Content, &mcp.ImageContent{MIMEType: "image/png", Data: a.image})
	}
	return r
}

// MetaRefused is the key in a failed result's _meta whose value is true if the arguments were
// refused and nothing was done.
const MetaRefused = "glasstty/refused"

// errorResult returns the result of a tool that failed with err.
func errorResult(ctx context.Context, err error) *mcp.CallToolResult {
	r := errorTextResult(errorForModel(ctx, err))
	if errors.Is(err, session.ErrArgument) {
		r.Meta = mcp.Meta{MetaRefused: true}
	}
	return r
}

// errorTextResult returns the result of a tool that failed, with this text.
func errorTextResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: true}
}

// seconds converts a duration to seconds, truncated to whole milliseconds.
func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }

// duration converts a number of seconds to a duration.
func duration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
