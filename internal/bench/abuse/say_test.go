package abuse

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/term"

	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
)

// sayVar makes this binary a program that prints what its input asks for.
const sayVar = "GLASSTTY_TEST_SAY"

// askPassword is the input line that makes say ask for a password.
const askPassword = "pw"

// say reads lines of hexadecimal digits and prints the bytes that they encode. It does
// not echo its input, which would otherwise mix with the output.
func say() error {
	cooked, err := term.MakeRaw(int(os.Stdin.Fd()))
	if err != nil {
		return err
	}
	fmt.Print("ready\r\n")
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\r')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line = strings.TrimSpace(line)
		if line == askPassword {
			if err := term.Restore(int(os.Stdin.Fd()), cooked); err != nil {
				return err
			}
			fmt.Print("Password: ")
			if _, err := term.ReadPassword(int(os.Stdin.Fd())); err != nil {
				return err
			}
			if _, err := term.MakeRaw(int(os.Stdin.Fd())); err != nil {
				return err
			}
			fmt.Print("\r\ntaken\r\n")
			continue
		}
		out, err := hex.DecodeString(line)
		if err != nil {
			return err
		}
		if _, err := os.Stdout.Write(out); err != nil {
			return err
		}
	}
}

// A speaker is a client of a server, and a session that runs say.
type speaker struct {
	*testing.T
	mgr     *session.Manager
	client  *mcp.ClientSession
	session string
	self    string

	mu   sync.Mutex
	told strings.Builder // progress, notifications and the server's log
}

// Write receives the server's log.
func (s *speaker) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told.Write(p)
}

// newSpeaker starts a server, a client and say, with args as its arguments.
func newSpeaker(t *testing.T, o session.Options, args ...string) *speaker {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &speaker{T: t, mgr: session.NewManager(o), self: self}
	t.Cleanup(func() {
		if err := s.mgr.Close(); err != nil {
			t.Error(err)
		}
	})
	srv, err := mcpserver.New(s.mgr, mcpserver.Options{
		Structured: mcpserver.StructuredOn,
		Logger:     slog.New(slog.NewTextHandler(s, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	ctx := context.WithoutCancel(t.Context())
	if _, err := srv.MCP().Connect(ctx, here, nil); err != nil {
		t.Fatal(err)
	}
	s.client, err = mcp.NewClient(&mcp.Implementation{Name: "abuse", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			fmt.Fprintln(s, r.Params.Message)
		},
	}).Connect(ctx, there, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.client.Close() })
	s.start(args...)
	return s
}

// start starts a session that runs say.
func (s *speaker) start(args ...string) *mcp.CallToolResult {
	s.Helper()
	res := s.call("start_process", map[string]any{
		"command": s.self, "args": append([]string{}, args...), "name": "speaker", "rows": 12, "cols": 40, "timeout": 20, "wait_for": "ready",
		"env": map[string]any{sayVar: "1"},
	})
	if res.IsError {
		s.Fatal(text(res))
	}
	s.session = res.StructuredContent.(map[string]any)["session_id"].(string)
	return res
}

// call calls a tool.
func (s *speaker) call(tool string, args map[string]any) *mcp.CallToolResult {
	s.Helper()
	if s.session != "" && args["session_id"] == nil && tool != "start_process" && tool != "list_sessions" {
		args["session_id"] = s.session
	}
	res, err := s.client.CallTool(s.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		s.Fatalf("%s %v: %v", tool, args, err)
	}
	return res
}

// say makes the program print bytes and returns the reply.
func (s *speaker) say(bytes string, args map[string]any) *mcp.CallToolResult {
	s.Helper()
	all := map[string]any{"text": hex.EncodeToString([]byte(bytes)), "press_enter": true, "timeout": 20}
	for k, v := range args {
		all[k] = v
	}
	res := s.call("send_and_read", all)
	if res.IsError {
		s.Fatal(text(res))
	}
	return res
}
