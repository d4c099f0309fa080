package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/httpserve"
	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
)

// mcpCmd serves one client on standard input and output, and glasstty call, ls and attach on a
// local socket.
type mcpCmd struct {
	serverFlags
	Socket string `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"Also serve glasstty call, ls and attach on a local socket here (default: a socket of this process, used only by ls and attach)."`
	Daemon bool   `env:"GLASSTTY_DAEMON" help:"Connect the client to your daemon (glasstty serve on the default socket, or on that of --socket), which is started if it does not run, so that sessions outlive the client. The daemon's settings apply; a client whose environment or settings file has others is refused."`
	Watch  bool   `env:"GLASSTTY_WATCH" help:"Also serve a page on which people watch the sessions and step in, and print its link on standard error."`
}

// serverFlags are the flags that all servers have.
type serverFlags struct {
	dataFlags     `group:"Data directory"`
	guardFlags    `group:"Guards"`
	sandboxFlags  `group:"Sandbox"`
	limitFlags    `group:"Limits"`
	terminalFlags `group:"Terminal"`
	auditFlags    `group:"Audit log"`
	Tools         []string             `default:"all" placeholder:"NAME" env:"GLASSTTY_TOOLS" help:"Tools to offer: names, or the sets all and core (default ${default})."`
	Structured    mcpserver.Structured `default:"auto" enum:"auto,on,off" placeholder:"MODE" env:"GLASSTTY_STRUCTURED" help:"Send structured results in addition to the text: auto, on or off (default ${default}; auto leaves them out for clients that would drop the text)."`
	MaxBlock      float64              `default:"50" min:"0.1" max:"600" unit:"seconds" placeholder:"SECONDS" env:"GLASSTTY_MAX_BLOCK" help:"Longest wait of one call when the client has not asked for progress reports (default ${default})."`
	History       bool                 `env:"GLASSTTY_HISTORY" help:"Let shells and interpreters in sessions write to your own history files, such as ~/.bash_history."`
	LogLevel      string               `default:"warn" enum:"debug,info,warn,error,off" placeholder:"LEVEL" env:"GLASSTTY_LOG_LEVEL" help:"What to log on standard error: debug, info, warn, error or off (default ${default})."`

	settings []setting // the values of the flags, sorted by name

	fleet  mcpserver.Fleet                      // nil if the server is in no fleet
	forget func(dir string, deleted bool) error // see session.Options; may be nil

	socketPath string    // the local socket's path
	extraPaths []ownPath // the command's paths that ownPaths adds to those of every server
}

// logger returns a logger that writes records of at least the level LogLevel to w. With --redact or
// --redact-recordings, it hides secrets in the records.
func (f *serverFlags) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	if f.LogLevel == "off" || level.UnmarshalText([]byte(f.LogLevel)) != nil {
		return slog.New(slog.DiscardHandler)
	}
	o := &slog.HandlerOptions{Level: level}
	if m := f.mask(); m != nil {
		o.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr {
			if text := a.Value.String(); m.Text(text) != text {
				a.Value = slog.StringValue(m.Text(text))
			}
			return a
		}
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// closeLimit is the time limit for ending all sessions when a server ends. It leaves time for children
// that need SIGKILL. Clients kill a server about ten seconds after they close its input.
const closeLimit = 8 * time.Second

// run serves the client until the client disconnects or ctx ends.
func (c *mcpCmd) run(ctx context.Context, std stdio) (err error) {
	if c.Daemon {
		return c.runDaemon(ctx, std)
	}
	c.extraPaths = []ownPath{{c.Socket, false}}
	c.socketPath = cmp.Or(c.Socket, processSocket(os.Getpid()))
	log := c.logger(std.err)
	opt := session.Options{PersonHint: personHint(c.socketPath, "")}
	b, err := c.backend(ctx, "mcp", opt, func() (*data, error) { return c.dataFlags.open(log) }, std.err)
	defer func() { err = errors.Join(err, c.closeAudit(ctx, std.err, err)) }()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.data.close()) }()
	page := newLivePage(b.mgr, log, c.log, nil)
	defer func() { err = errors.Join(err, page.close()) }()
	if c.Watch {
		if err := page.ensureServed(); err != nil {
			return errors.Join(err, b.mgr.Close())
		}
		fmt.Fprintln(std.err, page.linkNotice())
	}
	local, err := c.serveSocket(ctx, std, b.mgr, page)
	if err != nil {
		return errors.Join(err, b.mgr.Close())
	}
	defer local.close()
	go sweep(ctx, log)
	if term.IsTerminal(int(std.in.Fd())) {
		greet(std.err)
	}
	served, hangup := make(chan error, 1), hungUp(std.in, hangupGrace)
	go func() { served <- b.srv.Serve(audit.WithActor(ctx, stdioActor()), std.in, std.out) }()
	select {
	case err = <-served:
	case <-ctx.Done():
	case <-hangup:
		err = mcpserver.ErrNotRead
	}
	if ctx.Err() != nil || errors.Is(err, syscall.EPIPE) {
		err = nil // a signal or a closed connection is the normal end of a server
	}
	return errors.Join(err, b.end())
}

// serveSocket starts serving the local socket. If it cannot listen on the socket, it returns an error if
// --socket is set, and otherwise a nil server and no error: the socket is then only a convenience.
func (c *mcpCmd) serveSocket(ctx context.Context, std stdio, mgr *session.Manager, page *livePage) (*localServer, error) {
	l, err := localsock.Listen(ctx, c.socketPath)
	switch {
	case err != nil && c.Socket != "":
		return nil, err
	case err != nil:
		c.logger(std.err).Info("no local socket", "err", err)
		return nil, nil
	}
	return serveLocal(ctx, l, mgr, c.options(std.err), page.socketHandler())
}

// sessions returns o with the settings of sessions that the flags determine.
func (f *serverFlags) sessions(o session.Options, stderr io.Writer) (session.Options, error) {
	log := f.logger(stderr)
	if f.LogInputs && f.AuditLog == "" {
		log.Warn("--log-inputs does nothing without a file to write to: name it with --audit-log PATH")
	}
	o, err := f.guardFlags.options(o, log)
	if err != nil {
		return o, err
	}
	if o, err = f.limitFlags.options(o); err != nil {
		return o, err
	}
	o.Terminal = f.terminalFlags.options(o.Terminal)
	o.WriteHistory, o.Forget = f.History, f.forget
	return f.sandboxFlags.options(o, f.ownPaths(f.extraPaths...), f.settings, log)
}

// options returns the settings for package mcpserver.
func (f *serverFlags) options(stderr io.Writer) mcpserver.Options {
	return mcpserver.Options{
		Version:    version(),
		Tools:      f.Tools,
		Structured: f.Structured,
		MaxBlock:   seconds(f.MaxBlock),
		Timeout:    seconds(f.WaitTimeout),
		Logger:     f.logger(stderr),
		Audit:      f.log,
		Within:     within,
		Fleet:      f.fleet,
	}
}

// within reports whether a request comes from a program in one of the sessions.
func within(ctx context.Context) bool {
	v, _ := ctx.Value(visitorKey{}).(live.Visitor)
	return v.Within || httpserve.PrincipalOf(ctx).Within()
}

// greet explains the server to a person who has started it in a terminal. The server continues,
// because the person may want to type messages.
func greet(w io.Writer) {
	self, err := os.Executable()
	if err != nil {
		self = "glasstty"
	}
	fmt.Fprintf(w, "glasstty %s is an MCP server: it gives AI agents a real terminal, over standard input and output.\n", version())
	fmt.Fprintf(w, "Connect a client, for example: claude mcp add glasstty -- %s\n", self)
	fmt.Fprintf(w, "Look at a program yourself with: glasstty snap -- top. Ctrl+D or ctrl+c ends this server.\n")
}

// closeWithin closes mgr. If that takes longer than limit, it returns an error: a process that is blocked
// in the kernel cannot be killed.
func closeWithin(mgr *session.Manager, limit time.Duration) error {
	closed := make(chan error, 1)
	go func() { closed <- mgr.Close() }()
	select {
	case err := <-closed:
		return err
	case <-time.After(limit):
		return fmt.Errorf("some processes have not ended within %v", limit)
	}
}
