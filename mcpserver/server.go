package mcpserver

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"runtime"
	"time"

	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/session"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"
)

// Structured decides whether results have structuredContent and tools have output schemas.
type Structured string

// The values of Structured.
const (
	// StructuredAuto omits the structured form for clients that are known to drop the text of
	// a result that has both forms.
	StructuredAuto Structured = "auto"
	StructuredOn   Structured = "on"
	StructuredOff  Structured = "off"
)

// DefaultMaxBlock is the default limit on the time that a call without a progress token blocks.
// Clients give up on a silent call after about 60 seconds.
const DefaultMaxBlock = 50 * time.Second

// Options configure a Server. The zero value gives the defaults.
type Options struct {
	Version    string        // reported to clients, default "dev"
	Tools      []string      // names of tools, or the sets "all" and "core"; default all
	Structured Structured    // default StructuredAuto
	MaxBlock   time.Duration // default DefaultMaxBlock
	Timeout    time.Duration // for calls without the argument timeout; default: each tool's own
	Logger     *slog.Logger  // default: nothing is logged
	Audit      *audit.Log    // logs calls; may be nil
	// Within reports whether a call comes from a program in one of the sessions. Such a program may
	// not confirm held input, nor change anything on other hosts. A nil Within reports false.
	Within func(context.Context) bool
	// Fleet reaches the servers on other machines; nil if there are none.
	Fleet Fleet

	host string // the host's name in the ids of sessions, if the server belongs to a Remote
}

// A Server serves one Manager's sessions over MCP to any number of clients. It
// is safe for concurrent use.
type Server struct {
	mgr      *session.Manager
	opt      Options
	names    []string           // of the tools served
	tools    map[string]hints   // of the tools served, by name
	mcp      *mcp.Server        // the SDK's server
	stopping context.Context    // ends when the Server stops, and ends all calls
	stop     context.CancelFunc // ends stopping
	subs     *subscriptions
	fonts    *picture.Fonts // for pictures of screens
	// rendering limits how many calls read a history, or render a screen in a format other than
	// text, at once. The limit is the number of processors. Without it, a client with a thousand
	// such calls would take the processors from all other clients.
	rendering *semaphore.Weighted
}

// New returns a Server for mgr. The error names an unknown tool in o and lists the known ones. The
// Server does not close mgr.
func New(mgr *session.Manager, o Options) (*Server, error) {
	o.Version, o.MaxBlock = cmp.Or(o.Version, "dev"), cmp.Or(o.MaxBlock, DefaultMaxBlock)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	tools, err := selectTools(o.Tools)
	if err != nil {
		return nil, err
	}
	s := &Server{mgr: mgr, opt: o, tools: map[string]hints{}, subs: newSubscriptions(), fonts: new(picture.Fonts)}
	s.rendering = semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0)))
	s.stopping, s.stop = context.WithCancel(context.Background())
	text := instructions
	if o.Fleet != nil {
		text += fleetInstructions
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "glasstty", Version: o.Version}, &mcp.ServerOptions{
		Instructions:       text,
		Logger:             o.Logger,
		Capabilities:       capabilities(),
		CompletionHandler:  s.complete,
		SubscribeHandler:   s.subscribe,
		UnsubscribeHandler: s.unsubscribe,
		SetCacheable:       setPrivate,
	})
	s.addResources()
	s.addPrompts()
	for _, t := range tools {
		s.names = append(s.names, t.name)
		s.tools[t.name] = t.hints
		s.register(t)
	}
	s.mcp.AddReceivingMiddleware(s.recoverPanics, s.auditCalls, s.shapeResults, s.hideSecrets, s.reportUnanswered, s.rejectUnknownTools, s.listSessionResources)
	s.mcp.AddSendingMiddleware(s.limitQuestions)
	return s, nil
}

// capabilities returns the server's capabilities. It does not offer to report changes of the tools
// and prompts, because they never change.
func capabilities() *mcp.ServerCapabilities {
	return &mcp.ServerCapabilities{
		//lint:ignore SA1019 Clients of all versions before 2026-07-28 may set a level.
		Logging:   &mcp.LoggingCapabilities{},
		Tools:     &mcp.ToolCapabilities{},
		Prompts:   &mcp.PromptCapabilities{},
		Resources: &mcp.ResourceCapabilities{Subscribe: true},
	}
}

// MCP returns the SDK's server, for transports other than newline-delimited JSON.
func (s *Server) MCP() *mcp.Server { return s.mcp }

// Stop ends all calls in flight with an error that says the server is stopping. It does not end
// sessions.
func (s *Server) Stop() { s.stop() }

// endGrace is the time for a client to read its answers after Serve's input or ctx has ended.
const endGrace = 2 * time.Second

// Serve serves one client that writes newline-delimited JSON to in and reads it from out. It
// returns when in ends or ctx is cancelled. The client's calls end at most answerGrace after the end
// of in; cancelling ctx stops the Server, for other clients too. The calls' contexts have the values of
// ctx. Serve returns nil if in ended. It returns ErrNotRead if the client did not read its answers
// within endGrace; in this case, a goroutine stays blocked in a write to out.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	conn := newLineConn(in, out)
	// The SDK's Run would log the end of ctx as an error.
	client, err := s.mcp.Connect(ctx, conn, nil)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() {
		s.stop()           // Close waits for the calls in flight
		_ = client.Close() // Wait returns its error
	})()
	done := make(chan error, 1)
	go func() { done <- client.Wait() }()
	select {
	case err := <-done:
		return err
	case <-conn.ended:
	case <-ctx.Done():
	}
	grace := time.NewTimer(endGrace)
	defer grace.Stop()
	select {
	case err := <-done:
		return err
	case <-grace.C:
		return ErrNotRead
	}
}
