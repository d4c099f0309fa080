package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
)

// serveCmd serves clients on a local socket and over HTTP, so that sessions
// outlive the clients.
type serveCmd struct {
	serverFlags
	httpFlags  `group:"HTTP"`
	fleetFlags `group:"Fleet"`
	Socket     string `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"Where to make the socket (default: glasstty/socket in the user's runtime directory)."`
	Replace    bool   `help:"Take over from the server that uses the data directory, with all its sessions, as after an upgrade. The new server does not inherit the old one's flags: repeat them, such as --token-file and --port."`
	Background bool   `help:"Return as soon as the server is ready; it runs in the background until glasstty stop, and logs to a file next to its socket."`
	Leave      bool   `env:"GLASSTTY_LEAVE" help:"Leave the programs running when a signal ends the server, for the next one to take over."`

	link *fleetLink // nil for none
}

// Help returns the command's longer description.
func (*serveCmd) Help() string {
	return "It stays in the foreground (but see --background) and prints where it listens. Only this user's processes get through " +
		"the socket. Over HTTP it serves MCP at /mcp and /sse; give it a token (GLASSTTY_TOKEN, or " +
		"--token-file and glasstty token). Without a token it serves only your own programs on Linux, every user of this " +
		"machine elsewhere, and never other machines. SIGINT, SIGTERM or SIGHUP end it and every program that it started " +
		"(but see --leave). The programs belong to a separate process: when the server is killed they keep running, and " +
		"the next server on the same data directory takes over all sessions."
}

func (c *serveCmd) run(ctx context.Context, std stdio) (err error) {
	if c.Socket == "" {
		c.Socket = defaultSocket()
	}
	c.at = c.Socket
	if pid, err := serverOn(ctx, c.Socket); err == nil && !c.Replace {
		return fmt.Errorf("the server with process id %d serves %s already; use it, end it (glasstty stop), "+
			"take over from it with all its sessions (glasstty serve --replace), or name another --socket", pid, c.Socket)
	}
	if c.Background {
		return c.background(ctx, std)
	}
	token, err := takeToken()
	if err == nil {
		err = c.setFleet()
	}
	if err != nil {
		return usageError{err}
	}
	c.more = []ownPath{{c.TokenFile, true}, {c.Socket, false}, {c.FleetCreds, true}, {c.FleetServer, true}}
	var mgr *session.Manager
	var srv *mcpserver.Server
	var end *ending
	err = during(std.err, "taking over the sessions", func() (err error) {
		mgr, srv, end, err = c.open(ctx, std.err)
		return err
	})
	defer func() { err = errors.Join(err, c.closeAudit(ctx, std.err, err)) }()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end.close()) }()
	l, err := localsock.Listen(ctx, c.Socket)
	if err != nil {
		return errors.Join(err, end.abort())
	}
	log := c.LogLevel.logger(std.err)
	page := newPeople(mgr, log, c.log, c.link.pageOf())
	if err := c.joinFleet(ctx, mgr, page.page, std.err); err != nil {
		return errors.Join(err, l.Close(), end.abort())
	}
	defer c.link.close(false)
	go sweep(ctx, log)
	web, err := c.serveHTTP(ctx, std, srv, mgr, token, page)
	if err != nil {
		return errors.Join(err, l.Close(), end.abort())
	}
	page.use(web)
	onSocket := http.NewServeMux()
	onSocket.Handle("/", page.local())
	onSocket.HandleFunc("GET "+settingsPath, c.serveSettings)
	local := serveLocal(ctx, l, mgr, c.options(std.err), onSocket)
	said := fmt.Sprintf("listening on %s\n", l.Path())
	if web != nil {
		said += fmt.Sprintf("listening on %s\n%s\n", web.url, web.invitation())
	}
	said += c.link.invitation()
	// An error is ignored: the server does not need its standard output.
	fmt.Fprint(std.out, said)
	select {
	case <-ctx.Done():
	case err = <-web.failed():
	case <-end.replaced():
	}
	stay := end.stay()
	c.link.close(stay)
	srv.Stop() // ends waiting calls with this reason, before their programs end
	programs := make(chan error, 1)
	if !stay {
		go func() { programs <- end.sessions() }()
	}
	page.page.Close()
	page.close()
	err = errors.Join(err, web.close(), local.close())
	if stay { // no more input can come that the next server would not know
		return errors.Join(err, end.abort())
	}
	return errors.Join(err, <-programs)
}

// defaultSocket returns the default socket: in the user's runtime directory, or in a
// directory of the user below the temporary one.
func defaultSocket() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "glasstty", "socket")
	}
	return filepath.Join(os.TempDir(), "glasstty-"+strconv.Itoa(os.Geteuid()), "socket")
}

// mcpSocket begins the names of the sockets of servers that serve one client.
const mcpSocket = "mcp-"

// processSocket returns the socket of a server with one client, for glasstty ls and attach.
func processSocket(pid int) string {
	return filepath.Join(filepath.Dir(defaultSocket()), mcpSocket+strconv.Itoa(pid))
}
