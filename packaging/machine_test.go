package packaging_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/need"
)

// A machine is a user's environment: some programs, without Go, and an empty home.
type machine struct{ env []string }

// machineWith returns a machine with a shell, top and the named programs.
func machineWith(t *testing.T, programs ...string) machine {
	t.Helper()
	path := t.TempDir()
	for _, name := range append(programs, "sh", "top", "uname") {
		if err := os.Symlink(need.Program(t, name), filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
	}
	home := t.TempDir()
	return machine{[]string{"PATH=" + path, "HOME=" + home, "LC_ALL=C.UTF-8", "TMPDIR=" + t.TempDir()}}
}

// command returns a command to run on the machine.
func (m machine) command(t *testing.T, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = m.env
	cmd.Dir = t.TempDir()
	return cmd
}

// works checks glasstty, which command runs, as a new user would: its version, a program's
// screen, and an MCP client.
func (m machine) works(t *testing.T, command ...string) {
	t.Helper()
	with := func(args ...string) *exec.Cmd {
		all := append(command[1:len(command):len(command)], args...)
		return m.command(t, command[0], all...)
	}
	if out := run(t, with("--version")); !strings.HasPrefix(out, "glasstty "+version+" go") {
		t.Errorf("version: %s", out)
	}
	if out := run(t, with("snap", "--", "top")); !strings.Contains(out, " PID ") {
		t.Errorf("snap -- top:\n%s", out)
	}
	m.answers(t, with())
}

// answers connects an MCP client to a command, and checks the answer to a call.
func (m machine) answers(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if info := client.InitializeResult().ServerInfo; info.Name != "glasstty" || info.Version != version {
		t.Errorf("server info %+v", info)
	}
	res, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "start_process", Arguments: map[string]any{
		"command": "sh", "args": []string{"-c", "echo $((6 * 7))"},
	}})
	if err != nil || res.IsError || len(res.Content) == 0 {
		t.Fatalf("start_process: %+v, %v", res, err)
	}
	if text, ok := res.Content[0].(*mcp.TextContent); !ok || !strings.HasPrefix(text.Text, "42\n") {
		t.Errorf("start_process: %+v", res.Content[0])
	}
}
