package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/glasstty/glasstty/internal/localsock"
)

// serveFlags are the settings of serve.
type serveFlags struct {
	serverFlags
	httpFlags  `group:"HTTP"`
	fleetFlags `group:"Fleet"`
	Socket     string `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"Where to make the socket (default: glasstty/socket in the user's runtime directory)."`
	Leave      bool   `env:"GLASSTTY_LEAVE" help:"Leave the programs running when a signal ends the server, for the next one to take over."`
}

// serveCmd serves clients on a local socket and over HTTP. Sessions outlive the clients.
type serveCmd struct {
	serveFlags
	Replace    bool `help:"Take over from the server that uses the data directory, with all its sessions, as after an upgrade. The new server does not inherit the old one's flags: repeat them, such as --token-file and --port."`
	Background bool `help:"Return as soon as the server is ready; it runs in the background until glasstty stop, and logs to a file next to its socket."`

	link *fleetLink // nil if the server is in no fleet
}

func (c *serveCmd) run(ctx context.Context, std stdio) (err error) {
	c.Socket = cmp.Or(c.Socket, defaultSocket())
	c.socketPath = c.Socket
	if pid, err := serverOn(ctx, c.Socket); err == nil && !c.Replace {
		return fmt.Errorf("the server with process id %d serves %s already; use it, end it (glasstty stop), "+
			"take over from it with all its sessions (glasstty serve --replace), or name another --socket", pid, c.Socket)
	}
	if c.Background {
		return c.background(ctx, std)
	}
	tokens, err := takeToken()
	if err == nil {
		err = c.setFleet()
	}
	if err != nil {
		return usageError(err)
	}
	c.extraPaths = []ownPath{{c.TokenFile, true}, {c.Socket, false}, {c.FleetCreds, true}, {c.FleetServer, true}}
	l, b, err := c.start(ctx, std)
	defer func() { err = errors.Join(err, c.closeAudit(ctx, std.err, err)) }()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.data.close()) }()
	log := c.logger(std.err)
	page := newLivePage(b.mgr, log, c.log, c.link)
	if err := c.joinFleet(ctx, b.mgr, page.page, std.err); err != nil {
		return errors.Join(err, l.Close(), b.abort())
	}
	defer c.link.close(false)
	go sweep(ctx, log)
	if err := c.serveHTTP(ctx, std, b, tokens, page); err != nil {
		return errors.Join(err, l.Close(), b.abort())
	}
	banner := fmt.Sprintf("listening on %s\n", l.Path())
	if page.web != nil {
		banner += fmt.Sprintf("listening on %s/mcp\n%s\n", page.url, page.linkNotice())
	}
	banner += c.link.invitation()
	onSocket := http.NewServeMux()
	onSocket.Handle("/", page.socketHandler())
	onSocket.HandleFunc("GET "+settingsPath, c.serveSettings)
	local, err := serveLocal(ctx, l, b.mgr, c.options(std.err), onSocket)
	if err != nil {
		return errors.Join(err, page.close(), b.abort())
	}
	// The server works without standard output, so an error is ignored.
	fmt.Fprint(std.out, banner)
	select {
	case <-ctx.Done():
	case err = <-page.failed:
	case <-b.replaced():
	}
	stay := b.programsStay()
	c.link.leave(stay)
	b.srv.Stop() // calls that wait report that the server stops, not that their program has ended
	programs := make(chan error, 1)
	if !stay {
		go func() { programs <- b.end() }()
	}
	err = errors.Join(err, page.close(), local.close())
	if stay { // all connections are closed, so no input can arrive that the next server would miss
		return errors.Join(err, b.abort())
	}
	return errors.Join(err, <-programs)
}

// start listens on the socket and takes over the sessions of the previous server. It listens first, so
// that only one of several servers that start at once uses the data directory. With --replace, it takes
// over first, because the previous server listens until it has handed over its sessions.
func (c *serveCmd) start(ctx context.Context, std stdio) (l *localsock.Listener, b *backend, err error) {
	listen := func() (err error) {
		l, err = localsock.Listen(ctx, c.Socket)
		return err
	}
	open := func() error {
		return withProgress(std.err, "taking over the sessions", func() (err error) {
			b, err = c.open(ctx, std.err)
			return err
		})
	}
	first, second := listen, open
	if c.Replace {
		first, second = open, listen
	}
	if err = first(); err == nil {
		err = second()
	}
	switch {
	case err == nil:
	case l != nil:
		err = errors.Join(err, l.Close())
	case b != nil:
		err = errors.Join(err, b.abort(), b.data.close())
	}
	return l, b, err
}

// defaultSocket returns the path of the default socket: in the user's runtime directory, or else in a
// directory for the user in the temporary directory.
func defaultSocket() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "glasstty", "socket")
	}
	return filepath.Join(os.TempDir(), "glasstty-"+strconv.Itoa(os.Geteuid()), "socket")
}

// mcpSocket is the prefix of the names of the sockets of glasstty mcp.
const mcpSocket = "mcp-"

// processSocket returns the path of the default socket of the glasstty mcp with a process ID.
func processSocket(pid int) string {
	return filepath.Join(filepath.Dir(defaultSocket()), mcpSocket+strconv.Itoa(pid))
}
