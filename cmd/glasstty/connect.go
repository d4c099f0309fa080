package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/internal/nearest"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
)

// A connection is a client's, to a server on a socket or in this process.
type connection struct {
	client *mcp.ClientSession
	once   bool         // the server is in this process
	done   func() error // ends the server of once
}

// connect connects to the server on the socket. Without a server, start_process gets one in
// this process.
func (f *callFlags) connect(ctx context.Context, tool string) (*connection, error) {
	if f.Once {
		return connectOnce(ctx)
	}
	path := f.Socket
	if path == "" {
		path = defaultSocket()
	}
	conn, err := localsock.Dial(ctx, path)
	switch {
	case err == nil:
		c, err := connectTo(ctx, &mcp.IOTransport{Reader: conn, Writer: conn, MaxLineLength: -1})
		if err != nil {
			return nil, statusError{errors.Join(fmt.Errorf("connect to %s: %w", path, err), conn.Close()), exitNoServer}
		}
		return c, nil
	case tool == toolStart && f.Socket == "" && errors.Is(err, localsock.ErrNoServer):
		return connectOnce(ctx)
	case errors.Is(err, localsock.ErrNoServer) && !slices.Contains(mcpserver.ToolNames(), tool):
		return nil, unknownTool(tool, mcpserver.ToolNames())
	case errors.Is(err, localsock.ErrNoServer):
		start := "glasstty serve --background"
		if path != defaultSocket() {
			start += " --socket " + word(path)
		}
		return nil, statusError{fmt.Errorf("%w; start one: %s", err, start), exitNoServer}
	}
	return nil, statusError{err, exitNoServer}
}

// unknownTool returns the error for a tool that is not among names.
func unknownTool(tool string, names []string) error {
	if ours := mcpserver.ForeignTool(tool); ours != "" {
		return usageError{fmt.Errorf("unknown tool %q; use %s", tool, ours)}
	}
	if near := nearest.Word(tool, names); near != "" {
		return usageError{fmt.Errorf("unknown tool %q, did you mean %q?", tool, near)}
	}
	return usageError{fmt.Errorf("unknown tool %q; the tools are %s", tool, strings.Join(names, ", "))}
}

// connectTo connects over a transport.
func connectTo(ctx context.Context, t mcp.Transport) (*connection, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "glasstty-call", Version: version()}, nil)
	s, err := client.Connect(ctx, t, nil)
	if err != nil {
		return nil, err
	}
	return &connection{client: s, done: func() error { return nil }}, nil
}

// connectOnce connects to a server in this process, only for this call.
func connectOnce(ctx context.Context) (*connection, error) {
	mgr := session.NewManager(session.Options{MaxSessions: 1})
	srv, err := mcpserver.New(mgr, mcpserver.Options{Version: version(), Structured: mcpserver.StructuredOn})
	if err != nil {
		return nil, errors.Join(err, mgr.Close())
	}
	theirs, ours := mcpserver.InProcess()
	if _, err := srv.MCP().Connect(ctx, theirs, nil); err != nil {
		return nil, errors.Join(err, mgr.Close())
	}
	c, err := connectTo(ctx, ours)
	if err != nil {
		return nil, errors.Join(err, mgr.Close())
	}
	c.once = true
	c.done = func() error {
		srv.Stop()
		return closeWithin(mgr, closeLimit)
	}
	return c, nil
}

// close ends the connection, and the server of once with its program.
func (c *connection) close() error {
	// An error is ignored: the result has arrived, and the connection may be closed already.
	_ = c.client.Close()
	return c.done()
}
