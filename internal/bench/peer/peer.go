// Package peer starts the terminal servers that the benchmarks compare, and calls their tools as an
// MCP client does: over stdio, or over SSE if a server supports nothing else. It also starts the
// sshd that some trials log in to.
package peer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The servers' names.
const (
	Glasstty = "glasstty"
	Desktop  = "desktop-commander"
	Amol     = "mcp-interactive-terminal"
	Process  = "interactive-process-mcp"
)

// A Place says where a server runs and with which environment.
type Place struct {
	Home string   // its home directory, with its configuration
	Env  []string // its whole environment
	Dir  string   // its working directory; the caller's own if empty
}

// A Client is an MCP connection to a server's process. It is safe for concurrent use, except Kill
// and Close.
type Client struct {
	conn *mcp.ClientSession
	cmd  *exec.Cmd
	kill bool // the process does not end with its connection, so Close kills it
	// connect makes another connection; nil if the server has only one.
	connect func(context.Context) (*mcp.ClientSession, error)
}

// Another returns another connection to a server that was started by StartServe or StartProcess.
// Its Close ends only the connection.
func (c *Client) Another(ctx context.Context) (*Client, error) {
	if c.connect == nil {
		return nil, errors.New("the server supports only one connection")
	}
	conn, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	return &Client{conn: conn, cmd: c.cmd, connect: c.connect}, nil
}

// Kill kills the server's process (SIGKILL).
func (c *Client) Kill() {
	_ = c.cmd.Process.Kill()
	_ = c.conn.Close()
	_ = c.cmd.Wait()
	c.kill = false
}

// Connect starts cmd and speaks MCP with it over stdio.
func Connect(ctx context.Context, cmd *exec.Cmd) (*Client, error) {
	conn, err := newClient().Connect(ctx, &mcp.CommandTransport{Command: cmd, TerminateDuration: 3 * time.Second}, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", strings.Join(cmd.Args, " "), err)
	}
	return &Client{conn: conn, cmd: cmd}, nil
}

func newClient() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "glasstty-bench", Version: "1"}, nil)
}

// PID returns the process id of the server.
func (c *Client) PID() int { return c.cmd.Process.Pid }

// Tools returns the server's list of tools.
func (c *Client) Tools(ctx context.Context) ([]*mcp.Tool, error) {
	var all []*mcp.Tool
	for t, err := range c.conn.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// Call calls a tool and returns its result, which may be a failure (IsError).
func (c *Client) Call(ctx context.Context, tool string, args map[string]any) (*mcp.CallToolResult, error) {
	res, err := c.conn.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	return res, nil
}

// Read returns the text of a resource.
func (c *Client) Read(ctx context.Context, uri string) (string, error) {
	res, err := c.conn.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", fmt.Errorf("%s: %w", uri, err)
	}
	var text strings.Builder
	for _, part := range res.Contents {
		text.WriteString(part.Text)
	}
	return text.String(), nil
}

// Text returns the text blocks of a result, joined.
func Text(res *mcp.CallToolResult) string {
	var text strings.Builder
	for _, part := range res.Content {
		if t, ok := part.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	return text.String()
}

// Close ends the connection and the server's process.
func (c *Client) Close() {
	_ = c.conn.Close()
	if c.kill {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	}
}

// StartGlasstty starts a glasstty binary, such as Build makes.
func StartGlasstty(ctx context.Context, p Place, binary string, flags ...string) (*Client, error) {
	return Connect(ctx, p.command(binary, append([]string{"mcp"}, flags...)...))
}

// socketLimit is the time that a server may take until it listens. It first takes over the sessions
// of its predecessor.
const socketLimit = 5 * time.Minute

// StartServe starts a glasstty binary as a long-lived server on a socket, with its data in p.Home. It returns when the server listens.
func StartServe(ctx context.Context, p Place, binary string, flags ...string) (*Client, error) {
	socket := filepath.Join(p.Home, "socket")
	cmd := p.command(binary, append([]string{"serve", "--no-http", "--socket", socket, "--data-dir", filepath.Join(p.Home, "data")}, flags...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	limit := time.AfterFunc(socketLimit, func() { _ = cmd.Process.Kill() })
	_, err = bufio.NewReader(out).ReadString('\n')
	limit.Stop()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s serve does not listen: %w", binary, err), cmd.Wait())
	}
	connect := func(ctx context.Context) (*mcp.ClientSession, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
		if err != nil {
			return nil, err
		}
		return newClient().Connect(ctx, &mcp.IOTransport{Reader: conn, Writer: conn}, nil)
	}
	conn, err := connect(ctx)
	if err != nil {
		_ = cmd.Process.Kill()
		return nil, errors.Join(err, cmd.Wait())
	}
	return &Client{conn: conn, cmd: cmd, kill: true, connect: connect}, nil
}

// Build builds cmd/glasstty as the file out.
func Build(ctx context.Context, out string) error {
	log, err := exec.CommandContext(ctx, "go", "build", "-o", out, "github.com/glasstty/glasstty/cmd/glasstty").CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build ./cmd/glasstty: %w: %s", err, log)
	}
	return nil
}

// StartDesktop starts Desktop Commander from the npm packages below dir, without its telemetry.
func StartDesktop(ctx context.Context, p Place, dir string) (*Client, error) {
	bin := filepath.Join(dir, "node_modules", "@wonderwhy-er", "desktop-commander", "dist", "index.js")
	if _, err := os.Stat(bin); err != nil {
		return nil, fmt.Errorf("not installed: %w", err)
	}
	conf := filepath.Join(p.Home, ".claude-server-commander")
	if err := os.MkdirAll(conf, 0o700); err != nil {
		return nil, err
	}
	data, err := json.Marshal(map[string]any{
		"telemetryEnabled": false, "defaultShell": "/bin/bash", "blockedCommands": []string{},
		"allowedDirectories": []string{}, "fileReadLineLimit": 5000,
	})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(conf, "config.json"), data, 0o600); err != nil {
		return nil, err
	}
	return Connect(ctx, p.command("node", bin, "--no-onboarding"))
}

// StartAmol starts mcp-interactive-terminal from a built checkout.
func StartAmol(ctx context.Context, p Place, dir string) (*Client, error) {
	bin := filepath.Join(dir, "dist", "bin.js")
	if _, err := os.Stat(bin); err != nil {
		return nil, fmt.Errorf("not built: %w", err)
	}
	return Connect(ctx, p.command("node", bin))
}

// StartProcess builds the checkout of interactive-process-mcp below scratch and
// starts it on a free loopback port.
func StartProcess(ctx context.Context, p Place, dir, scratch string) (*Client, error) {
	bin := filepath.Join(scratch, "interactive-process-under-test")
	build := exec.CommandContext(ctx, "go", "build", "-o", bin, "./cmd/server")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %w: %s", err, out)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	cmd := p.command(bin, "-port", strconv.Itoa(port), "-data-dir", filepath.Join(p.Home, "ipm"), "-log-level", "error")
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	connect := func(ctx context.Context) (*mcp.ClientSession, error) {
		return dial(ctx, fmt.Sprintf("http://127.0.0.1:%d/sse", port))
	}
	conn, err := connect(ctx)
	if err != nil {
		_ = cmd.Process.Kill()
		return nil, errors.Join(err, cmd.Wait())
	}
	return &Client{conn: conn, cmd: cmd, kill: true, connect: connect}, nil
}

// dial connects as soon as the server listens. It tries for five seconds.
func dial(ctx context.Context, url string) (*mcp.ClientSession, error) {
	var last error
	for range 50 {
		conn, err := newClient().Connect(ctx, &mcp.SSEClientTransport{Endpoint: url}, nil)
		if err == nil {
			return conn, nil
		}
		if last = err; !Pause(ctx, 100*time.Millisecond) {
			return nil, ctx.Err()
		}
	}
	return nil, last
}

// command returns the command that starts a server at p.
func (p Place) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = p.Env, p.Dir
	return cmd
}

// freePort returns an unused loopback port.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
