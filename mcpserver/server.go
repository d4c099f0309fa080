package mcpserver

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/glasstty/glasstty/session"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Structured says whether results carry structuredContent and tools carry
// output schemas.
type Structured string

// The settings of Structured.
const (
	// StructuredAuto leaves the structured form out for clients that are known
	// to drop the text when both forms are there, and gives it to all others.
	StructuredAuto Structured = "auto"
	StructuredOn   Structured = "on"
	StructuredOff  Structured = "off"
)

// DefaultMaxBlock is how long one call blocks when the client gave no progress
// token: clients give up on a silent call after about 60 seconds.
const DefaultMaxBlock = 50 * time.Second

// Options configure a Server. The zero value gives the defaults.
type Options struct {
	Version    string        // reported to clients, default "dev"
	Tools      []string      // names of tools, or the sets "all" and "core"; default all
	Structured Structured    // default StructuredAuto
	MaxBlock   time.Duration // default DefaultMaxBlock
	Logger     *slog.Logger  // default: nothing is logged
}

// A Server serves one Manager's sessions over MCP to any number of clients. It
// is safe for concurrent use.
type Server struct {
	mgr *session.Manager
	opt Options
	mcp *mcp.Server
}

// New returns a Server for mgr. The error names an unknown tool or setting and
// what is allowed. The Server does not close mgr.
func New(mgr *session.Manager, o Options) (*Server, error) {
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.MaxBlock == 0 {
		o.MaxBlock = DefaultMaxBlock
	}
	if o.Structured == "" {
		o.Structured = StructuredAuto
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{mgr: mgr, opt: o}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "glasstty", Version: o.Version}, &mcp.ServerOptions{
		Logger: o.Logger,
	})
	return s, nil
}

// MCP returns the SDK's server, for transports other than stdio.
func (s *Server) MCP() *mcp.Server { return s.mcp }

// Serve serves one client that writes newline-delimited JSON to in and reads it
// from out, until in ends or ctx is cancelled. It returns nil when in ended.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.mcp.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
}
