package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/internal/sandbox"
)

// hasSandbox skips the test if the kernel lacks the features of the sandbox.
func hasSandbox(t *testing.T) {
	t.Helper()
	if s := sandbox.Probe(); s.Landlock < 6 || !s.Seccomp {
		t.Skipf("this kernel lacks features of the sandbox: %+v", s)
	}
}

// TestSandboxedPrograms checks that a shell, a REPL and an editor work in a sandbox, and
// cannot write outside their directory.
func TestSandboxedPrograms(t *testing.T) {
	hasSandbox(t)
	for _, program := range []string{"bash", "python3", "vim"} {
		need.Program(t, program)
	}
	for _, backend := range []string{"landlock", "bwrap"} {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			if backend == "bwrap" {
				if err := exec.Command(need.Program(t, "bwrap"), "--ro-bind", "/", "/", "--unshare-pid", "true").Run(); err != nil {
					t.Skipf("bwrap cannot create namespaces here: %v", err)
				}
			}
			dir := t.TempDir()
			a := connect(t, "--sandbox", "--sandbox-backend", backend)
			shell := a.call("start_process", args{"command": "bash", "args": []string{"--norc"}, "cwd": dir, "timeout": callTimeout})
			if shell.Reason != "prompt" || !strings.Contains(shell.Text, "sandboxed: writes only below "+dir+", $TMPDIR") {
				t.Errorf("bash: %+v", shell)
			}
			for line, want := range map[string]string{
				"echo one > file && cat file":                                          "one",
				"echo two > ../outside":                                                "bash: ../outside: ",
				"cat <(echo three) | sort; echo four > \"$TMPDIR/x\"; true":            "three",
				"sleep 0.2 & wait; kill %1 2>/dev/null; echo five >/dev/tty; (exit 7)": "five",
			} {
				r := a.line(shell.SessionID, line)
				if r.Reason != "prompt" || !strings.Contains(r.Output, want) || strings.HasSuffix(line, "7)") && !strings.Contains(r.Text, "command exit 7") {
					t.Errorf("%s: %q, %s: %s", line, r.Output, r.Reason, r.Text)
				}
			}
			if info := a.call("get_session_info", args{"session_id": shell.SessionID}); !strings.Contains(info.Text, `sandbox: {"backend":"`+backend+`","write":["`+dir+`"],"network":"all"`) {
				t.Errorf("info: %s", info.Text)
			}
			python := a.call("start_process", args{"command": "python3", "args": []string{"-q"}, "cwd": dir, "timeout": callTimeout})
			if r := a.line(python.SessionID, "6*7"); strings.TrimSpace(r.Output) != "42" || r.Prompt != ">>> " {
				t.Errorf("python: %+v", r)
			}
			vim := a.call("start_process", args{"command": "vim", "args": []string{"-u", "NONE", "-i", "NONE", "text"}, "cwd": dir, "timeout": callTimeout})
			if r := a.keys(vim.SessionID, "i", args{"text": "written"}, "escape", args{"text": ":wq"}, "enter"); r.Reason != "exited" {
				t.Errorf("vim: %+v", r)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "text")); string(got) != "written\n" {
				t.Errorf("vim wrote %q, %v", got, err)
			}
			for command, says := range map[string]string{"nosuchprogram": "not found in PATH", "./text": "not executable", "ls -l": "a whole command line"} {
				a.fails("start_process", args{"command": command, "cwd": dir}, "cannot run", says)
			}
		})
	}
}

// TestSandboxOfOneSession checks that a session can have a sandbox if the server has none.
func TestSandboxOfOneSession(t *testing.T) {
	hasSandbox(t)
	need.Program(t, "sh")
	t.Parallel()
	dir := t.TempDir()
	a := connect(t)
	for _, in := range []args{{}, {"sandbox": args{}}} {
		in["command"], in["args"], in["cwd"], in["until"] = "sh", []string{"-c", "echo x > ../made"}, dir, "exit"
		r := a.call("start_process", in)
		if _, boxed := in["sandbox"]; *r.ExitCode == 0 == boxed {
			t.Errorf("%v: exit %d: %s", in, *r.ExitCode, r.Text)
		}
	}
}

// TestSandboxSurvives checks that programs stay in their sandboxes if the server is
// killed, that the next server knows about the sandboxes, and that programs cannot read
// the data directory.
func TestSandboxSurvives(t *testing.T) {
	need.Long(t)
	hasSandbox(t)
	need.Program(t, "bash")
	d := newDaemonRig(t)
	dir := filepath.Join(d.home, "project")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	// The daemon, which the clients start, reads the setting from the same file.
	config := filepath.Join(d.home, "config.toml")
	if err := os.WriteFile(config, []byte("sandbox = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(configVar, config)
	a := d.client(d.home)
	defer a.session.Close() // otherwise it would start another daemon after the last one has ended
	shell := a.call("start_process", args{"command": "bash", "args": []string{"--norc"}, "cwd": dir, "timeout": callTimeout})
	killed := d.server()
	if err := kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	d.await("the next server", func() bool { s := d.server(); return s > 0 && s != killed })
	if info := a.call("get_session_info", args{"session_id": shell.SessionID}); !strings.Contains(info.Text, `sandbox: {"backend":"landlock","write":["`+dir) {
		t.Errorf("after the restart: %s", info.Text)
	}
	for line, want := range map[string]string{
		"echo x > ../outside":                            "Permission denied",
		"cat ../data/version":                            "Permission denied",
		"echo x >> ../data/version":                      "Permission denied",
		"kill -0 " + strconv.Itoa(d.server()):            "not permitted",
		"cat ../data/sessions/" + shell.SessionID + "/*": "Permission denied",
	} {
		if r := a.line(shell.SessionID, line); !strings.Contains(r.Output, want) {
			t.Errorf("%s: %q, want %q", line, r.Output, want)
		}
	}
}

// TestSandboxSettings checks that servers reject invalid settings.
func TestSandboxSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"mcp", "--sandbox=some"}, `"some" is not one of on, off, strict`},
		{[]string{"mcp", "--sandbox-network=web"}, `"web" is not all, none, private, or TCP ports from 1 to 65535`},
		{[]string{"mcp", "--sandbox-write=/no/such/dir"}, `write "/no/such/dir"`},
		{[]string{"mcp", "--sandbox-memory=lots"}, `"lots" is not a whole number from 0 to 1073741824`},
		{[]string{"mcp", "--sandbox-backend=docker"}, `"docker" is not one of landlock, bwrap`},
		{[]string{"mcp", "--keep-env=[x"}, "--keep-env"},
		{[]string{"mcp", "--daemon", "--sandbox"}, "--sandbox has no effect on a client"},
		{[]string{"mcp", "--daemon", "--block-command", "rm"}, "--block-command has no effect on a client"},
		{[]string{"mcp", "--daemon", "--no-danger"}, "--danger has no effect on a client"},
		{[]string{"mcp", "--daemon", "--audit-log=x", "--audit=required"}, "has no effect on a client"},
		{[]string{"mcp", "--daemon", "--tools", "core"}, "--tools has no effect on a client"},
		{[]string{"serve", "--sandbox=strict", "--sandbox-write", os.TempDir(), "--data-dir", os.TempDir() + "/glasstty-strict"}, "it is strict: not enforced would be"},
	} {
		cmd, _, stderr := server(t, tt.args...)
		if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != exitUsage || !strings.Contains(stderr.String(), tt.says) {
			t.Errorf("%q: %v: %s; want %q", tt.args, err, stderr, tt.says)
		}
	}
}
