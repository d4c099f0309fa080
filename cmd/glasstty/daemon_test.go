package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A daemonRig is a user's home directory with a daemon.
type daemonRig struct {
	t    *testing.T
	home string
	mark string
}

// newDaemonRig returns a daemonRig whose daemon is ended by the cleanup.
func newDaemonRig(t *testing.T) *daemonRig {
	t.Helper()
	d := &daemonRig{t: t, home: t.TempDir(), mark: fmt.Sprintf("%s-%d", t.Name(), os.Getpid())}
	t.Cleanup(func() {
		defer func() {
			for _, p := range leftovers(d.mark) {
				t.Errorf("left behind: %s", p)
			}
		}()
		if pid := d.server(); pid > 0 {
			if err := kill(pid, syscall.SIGTERM); err != nil {
				t.Errorf("end the daemon: %v", err)
			}
			d.await("the daemon ends", func() bool { return syscall.Kill(pid, 0) != nil })
		}
	})
	return d
}

// await waits until so returns true.
func (d *daemonRig) await(what string, so func() bool) {
	d.t.Helper()
	for limit := time.Now().Add(patience); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			d.t.Fatalf("still waiting: %s", what)
		}
	}
}

// server returns the daemon's process ID, or 0 without a daemon.
func (d *daemonRig) server() int {
	text, err := os.ReadFile(filepath.Join(d.home, "data", "lock"))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	// A killed server leaves its process ID behind, which another process may have by now.
	if err != nil || syscall.Kill(pid, 0) != nil || !marked(pid, d.mark) {
		return 0
	}
	return pid
}

// kill sends a signal to a process. It rejects 0, which server returns for no process and
// which would signal this process's group.
func kill(pid int, sig syscall.Signal) error {
	if pid <= 0 {
		return syscall.ESRCH
	}
	return syscall.Kill(pid, sig)
}

// client starts a client of the daemon in a directory, and connects to it.
func (d *daemonRig) client(dir string) *agent {
	d.t.Helper()
	cmd := exec.Command(binary, "mcp", "--daemon", "--socket", filepath.Join(d.home, "socket"), "--data-dir", filepath.Join(d.home, "data"))
	stderr := &lockedBuffer{}
	cmd.Dir, cmd.Stderr = dir, stderr
	cmd.Env = append(os.Environ(), markVar+"="+d.mark, "HOME="+d.home, "LANG=C.UTF-8")
	client := mcp.NewClient(&mcp.Implementation{Name: "glasstty-test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: cmd, TerminateDuration: patience}, nil)
	if err != nil {
		d.t.Fatalf("connect: %v\n%s", err, stderr)
	}
	return &agent{t: d.t, session: session, mark: d.mark, stderr: stderr}
}

// TestDaemonSettings checks that a client is rejected if its variables, settings file or
// flags differ from the settings of the running daemon. A difference that protects nothing
// is only a warning.
func TestDaemonSettings(t *testing.T) {
	t.Parallel()
	d := newDaemonRig(t)
	join := func(flags []string, env ...string) (string, error) {
		cmd := exec.Command(binary, append([]string{"mcp", "--daemon", "--socket", filepath.Join(d.home, "socket"), "--data-dir", filepath.Join(d.home, "data")}, flags...)...)
		cmd.Env = append(append(os.Environ(), markVar+"="+d.mark, "HOME="+d.home), env...)
		out, err := cmd.CombinedOutput() // its input ends at once
		return string(out), err
	}
	a := d.client(d.home)
	a.call("list_sessions", args{})
	if err := a.session.Close(); err != nil {
		t.Errorf("a client ended with %v", err)
	}
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte("max-sessions = 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ env, want string }{
		{"GLASSTTY_REDACT=true", "redact = false, and GLASSTTY_REDACT says true: end it (glasstty stop)"},
		{"MCP_TERMINAL_BLOCKED_COMMANDS=rm", "block-command"},
		{"GLASSTTY_CONFIG=" + file, "max-sessions = 100, and " + file + " says 7"},
	} {
		if out, err := join(nil, tt.env); err == nil || !strings.Contains(out, tt.want) {
			t.Errorf("%s: %v, %q", tt.env, err, out)
		}
	}
	if out, err := join(nil, "GLASSTTY_REDACT=false", "GLASSTTY_MAX_BLOCK=50"); err != nil || out != "" {
		t.Errorf("same settings as the daemon: %v, %q", err, out)
	}
	if out, err := join(nil, "GLASSTTY_MAX_BLOCK=20"); err != nil || !strings.Contains(out, "max-block") {
		t.Errorf("setting that protects nothing: %v, %q", err, out)
	}
	if out, err := join([]string{"--redact"}); err == nil || !strings.Contains(out, "--redact has no effect on a client") {
		t.Errorf("flag --redact: %v, %q", err, out)
	}
}

// TestDaemon checks that sessions outlive their clients and the daemon: ten clients that
// start at once share one daemon, a new client continues with a session, and a call during
// which the daemon is killed is answered by the next daemon.
func TestDaemon(t *testing.T) {
	t.Parallel()
	d := newDaemonRig(t)
	var all sync.WaitGroup
	clients := make([]*agent, 10)
	for i := range clients {
		all.Go(func() { clients[i] = d.client(d.home) })
	}
	all.Wait()
	first := d.server()
	for i, a := range clients {
		if i > 0 {
			a.call("start_process", args{"command": "cat", "name": fmt.Sprintf("cat%d", i)})
		}
	}
	a := clients[0]
	if err := os.Mkdir(filepath.Join(d.home, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := a.call("start_process", args{"command": "bash", "args": []string{"--norc"}, "cwd": "sub", "name": "shell", "env": args{"PS1": "$ "}})
	id := r.SessionID
	if r = a.call("send_and_read", args{"session_id": id, "text": "pwd; x=5", "press_enter": true}); r.Output != filepath.Join(d.home, "sub") {
		t.Errorf("pwd prints %q: %s", r.Output, r.Text)
	}
	for _, a := range clients {
		if n := len(a.call("list_sessions", args{}).Sessions); n != 10 {
			t.Errorf("%d sessions, want 10 in the one daemon", n)
		}
		if err := a.session.Close(); err != nil {
			t.Errorf("a client ended with %v", err)
		}
	}
	a = d.client(t.TempDir())
	answered := make(chan result, 1)
	go func() {
		answered <- a.call("send_and_read", args{"session_id": id, "text": "sleep 1; echo $x $((x+=1))", "press_enter": true, "timeout": 30})
	}()
	// Wait until the command runs.
	b := d.client(d.home)
	b.call("wait_for", args{"session_id": id, "pattern": "sleep 1; echo", "timeout": 10, "reader_id": b.call("register_reader", args{"session_id": id}).ReaderID})
	if err := kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if r := <-answered; r.Output != "5 6" || !strings.Contains(r.Text, "the server was restarted") {
		t.Errorf("output of the interrupted call: %q: %s", r.Output, r.Text)
	}
	if now := d.server(); now == 0 || now == first {
		t.Errorf("daemon has process ID %d, the first had %d", now, first)
	}
	if r = b.call("send_and_read", args{"session_id": id, "text": "echo $x", "press_enter": true}); r.Output != "6" {
		t.Errorf("x is %q: %s", r.Output, r.Text)
	}
	for _, a := range []*agent{a, b} {
		if err := a.session.Close(); err != nil {
			t.Errorf("a client ended with %v", err)
		}
	}
}

// TestOtherServer checks that a client does not start a daemon in place of a server that
// was started with flags, because the new one would lack them, and does not use another server
// that has other flags.
func TestOtherServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := &daemon{socket: filepath.Join(dir, "socket"), dataDir: filepath.Join(dir, "data")}
	stop := serveFor(t, d, "--max-sessions", "7")
	conn, err := d.dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := d.start(t.Context()); err == nil || !strings.Contains(err.Error(), "started with --max-sessions: start it again") {
		t.Errorf("starting in place of a server with flags: %v", err)
	}
	const other = "started with --max-sessions, and the one that runs there now with other flags or values: stop it (glasstty stop --socket "
	for _, tt := range []struct {
		flags []string
		want  string // in the error; "" for none
	}{
		{nil, other},
		{[]string{"--redact", "--max-sessions", "7"}, other},
		{[]string{"--max-sessions", "8"}, other},
		{[]string{"--max-sessions", "7", "--replace"}, ""},
	} {
		stop := serveFor(t, d, tt.flags...)
		conn, err := d.dial(t.Context())
		if err == nil {
			err = conn.Close()
		}
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("another server with %q: %v", tt.flags, err)
		}
		stop()
	}
}

// serveFor starts a server on the daemon's socket. The returned function kills it.
func serveFor(t *testing.T, d *daemon, flags ...string) (stop func()) {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"serve", "--no-http", "--socket", d.socket, "--data-dir", d.dataDir}, flags...)...)
	cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(d.socket))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = out.Read(make([]byte, 4096)) // wait until it listens
	}
	if err != nil {
		t.Fatal(err)
	}
	return sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	})
}

// TestDaemonDraft checks that after a crash of the daemon, a client that began a line is still
// known from other clients with the same name.
func TestDaemonDraft(t *testing.T) {
	t.Parallel()
	d := newDaemonRig(t)
	a := d.client(d.home)
	id := a.start("bash", "--norc").SessionID
	// With several clients, it is likely that they connect again in another order.
	others := make([]*agent, 5)
	for i := range others {
		others[i] = d.client(d.home)
		others[i].call("list_sessions", args{})
	}
	a.call("send_input", args{"session_id": id, "text": "echo ha"})
	pid := d.server()
	if err := kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	d.await("the next daemon runs", func() bool { now := d.server(); return now > 0 && now != pid })
	for _, b := range others {
		b.fails("send_and_read", args{"session_id": id, "text": "XX", "press_enter": true}, "has begun a line")
	}
	if r := a.line(id, "ha"); r.Output != "haha" {
		t.Errorf("the client's own line prints %q: %s", r.Output, r.Text)
	}
	for _, c := range append(others, a) {
		if err := c.session.Close(); err != nil {
			t.Errorf("a client ended with %v", err)
		}
	}
}
