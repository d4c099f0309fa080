package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/internal/nearest"
	"github.com/glasstty/glasstty/internal/shellquote"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
)

// A connection is a client's connection to a server, on a socket or in this process.
type connection struct {
	client *mcp.ClientSession
	stop   func() error // ends a server in this process and its program; nil for a server on a socket
}

// connect connects to the server on the socket. If no server listens, --socket is not set and the tool is
// start_process, it starts a server in this process.
func (c *callCmd) connect(ctx context.Context, std stdio) (*connection, error) {
	path := cmp.Or(c.Socket, defaultSocket())
	conn, err := localsock.Dial(ctx, path)
	switch {
	case err == nil:
		s, err := connectTo(ctx, &mcp.IOTransport{Reader: conn, Writer: conn, MaxLineLength: -1})
		if err != nil {
			return nil, statusError{error: errors.Join(fmt.Errorf("connect to %s: %w", path, err), conn.Close()), status: exitNoServer}
		}
		return s, nil
	case c.Tool == toolStart && c.Socket == "" && errors.Is(err, localsock.ErrNoServer):
		return connectOnce(ctx, std)
	case errors.Is(err, localsock.ErrNoServer) && !slices.Contains(mcpserver.ToolNames(), c.Tool):
		return nil, unknownTool(c.Tool, mcpserver.ToolNames())
	case errors.Is(err, localsock.ErrNoServer):
		start := "glasstty serve --background"
		if path != defaultSocket() {
			start += " --socket " + shellquote.Word(path)
		}
		return nil, statusError{error: fmt.Errorf("%w; start one: %s", err, start), status: exitNoServer}
	}
	return nil, statusError{error: err, status: exitNoServer}
}

// unknownTool returns the error for a tool that is not among names.
func unknownTool(tool string, names []string) error {
	if ours := mcpserver.ForeignTools[tool]; ours != "" {
		return usageError(fmt.Errorf("unknown tool %q; use %s", tool, ours))
	}
	if slices.Contains(mcpserver.ToolNames(), tool) {
		return usageError(fmt.Errorf("tool %q is not served: the server was started with a subset; its tools are %s", tool, strings.Join(names, ", ")))
	}
	return usageError(fmt.Errorf("unknown tool %q%s", tool, nearest.Suggest(tool, names, "; the tools are "+strings.Join(names, ", "))))
}

// connectTo connects to a server over t.
func connectTo(ctx context.Context, t mcp.Transport) (*connection, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "glasstty-call", Version: version()}, nil)
	s, err := client.Connect(ctx, t, nil)
	if err != nil {
		return nil, err
	}
	return &connection{client: s}, nil
}

// connectOnce starts a server in this process, for this call only, and connects to it. The server has the
// settings of glasstty mcp, but no data directory.
func connectOnce(ctx context.Context, std stdio) (*connection, error) {
	cmd, err := parse([]string{"mcp"}, std)
	if err != nil {
		return nil, err
	}
	server := cmd.(*mcpCmd)
	server.DataDir, server.Tools, server.Structured = noData, nil, mcpserver.StructuredOn
	b, err := server.backend(ctx, toolStart, session.Options{}, func() (*data, error) { return server.dataFlags.open(server.logger(std.err)) }, std.err)
	if err != nil {
		return nil, errors.Join(err, server.closeAudit(ctx, std.err, err))
	}
	stop := func() error {
		b.srv.Stop()
		err := errors.Join(b.end(), b.data.close())
		return errors.Join(err, server.closeAudit(ctx, std.err, err))
	}
	theirs, ours := inProcess()
	if _, err := b.srv.MCP().Connect(ctx, theirs, nil); err != nil {
		return nil, errors.Join(err, stop())
	}
	conn, err := connectTo(ctx, ours)
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	conn.stop = stop
	return conn, nil
}

// close closes the connection. If the server is in this process, close ends it with its program.
func (c *connection) close() error {
	// An error is ignored: the result has arrived, and the connection may already be closed.
	_ = c.client.Close()
	if c.stop == nil {
		return nil
	}
	return c.stop()
}

// inProcess returns the two ends of a connection between a server and a client in one process.
// Messages may have any length. The SDK's in-memory transports are not used, because they close the
// connection at a message of more than 16 MB.
func inProcess() (server, client mcp.Transport) {
	theirs, ours := net.Pipe()
	return &mcp.IOTransport{Reader: theirs, Writer: theirs, MaxLineLength: -1},
		&mcp.IOTransport{Reader: ours, Writer: ours, MaxLineLength: -1}
}
