package fleet

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// testsAtOnce is the number of tests that run at once, unless -parallel is set.
const testsAtOnce = "6"

// binary is the path of the program under test.
var binary string

func TestMain(m *testing.M) {
	if main := map[string]func() error{natsServer: natsMain, echoServer: echoMain}[filepath.Base(os.Args[0])]; main != nil {
		if err := main(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	dir, err := os.MkdirTemp("", "fleet")
	if err == nil {
		binary = filepath.Join(dir, "glasstty")
		err = peer.Build(context.Background(), binary)
	}
	if err == nil { // tests mostly wait until a killed process is noticed
		err = flag.Set("test.parallel", testsAtOnce)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// patience is the time limit of a single step on a busy machine.
const patience = 60 * time.Second

// command returns a command of the program under test. If it runs longer than 2*patience, it is
// ended with SIGQUIT, which prints its goroutines.
func command(words ...string) *exec.Cmd {
	limit := fmt.Sprintf("%.0fs", 2*patience.Seconds())
	return exec.Command("timeout", append([]string{"--signal=QUIT", limit, binary}, words...)...)
}

// startNATS starts a NATS server on a free loopback port.
func startNATS(t testing.TB, o server.Options) *server.Server {
	t.Helper()
	o.Host, o.NoSigs, o.NoLog = "127.0.0.1", true, o.LogFile == ""
	o.AuthTimeout = patience.Seconds()
	if o.Port == 0 {
		o.Port = server.RANDOM_PORT
	}
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.ConfigureLogger()
	s.Start()
	if !s.ReadyForConnections(patience) {
		t.Fatal("the NATS server did not start")
	}
	t.Cleanup(s.Shutdown)
	return s
}

// portOf returns a NATS server's port.
func portOf(s *server.Server) int { return s.Addr().(*net.TCPAddr).Port }

// A process is a glasstty server.
type process struct {
	t      testing.TB
	cmd    *exec.Cmd
	home   string
	socket string
	ended  chan error
	mu     sync.Mutex
	log    bytes.Buffer // guarded by mu
	client *mcp.ClientSession
}

// Write appends to the server's log.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(b)
}

// said returns the server's log.
func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// startNode starts a server with a node name and connects to it.
func startNode(t testing.TB, url, name string, flags ...string) *process {
	t.Helper()
	return startIn(t, t.TempDir(), url, name, flags...)
}

// startIn is like startNode with a given home directory, which may be that of an earlier server.
func startIn(t testing.TB, home, url, name string, flags ...string) *process {
	t.Helper()
	p := begin(t, home, url, name, flags...)
	p.connect()
	return p
}

// begin starts a server without connecting to it.
func begin(t testing.TB, home, url, name string, flags ...string) *process {
	t.Helper()
	p := newProcess(t, home, fleetServer(home, url, name, flags...))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of %s:\n%s", name, p.said())
		}
		p.end(syscall.SIGTERM)
	})
	return p
}

// newProcess starts the command of a server with the given home directory.
func newProcess(t testing.TB, home string, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, home: home, socket: filepath.Join(home, "s"), ended: make(chan error, 1)}
	cmd.Stdout, cmd.Stderr = p, p
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- cmd.Wait() }()
	return p
}

// fleetServer returns the command of a server in a fleet.
func fleetServer(home, url, name string, flags ...string) *exec.Cmd {
	return serveCommand(home, append([]string{"--fleet", url, "--node", name}, flags...)...)
}

// serveCommand returns the command of a server.
func serveCommand(home string, flags ...string) *exec.Cmd {
	cmd := exec.Command(binary, append([]string{"serve", "--no-http", "--socket", filepath.Join(home, "s")}, flags...)...)
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "XDG_RUNTIME_DIR=" + home}
	return cmd
}

// connect connects a client to the server.
func (p *process) connect() {
	p.t.Helper()
	var conn net.Conn
	p.await("the socket", func() bool {
		var err error
		conn, err = net.Dial("unix", p.socket)
		return err == nil && strings.Contains(p.said(), "listening on")
	})
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	var err error
	p.client, err = client.Connect(context.Background(), &mcp.IOTransport{Reader: conn, Writer: conn, MaxLineLength: -1}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
}

// end ends the server with a signal.
func (p *process) end(sig syscall.Signal) {
	if p.client != nil {
		p.client.Close()
		p.client = nil
	}
	err := p.cmd.Process.Signal(sig)
	if errors.Is(err, os.ErrProcessDone) {
		return
	}
	select {
	case err := <-p.ended:
		p.ended <- err
	case <-time.After(patience):
		p.t.Error("the server did not exit")
	}
}

// await waits until ok returns true, and fails if the server exits first.
func (p *process) await(what string, ok func() bool) {
	p.t.Helper()
	limit := time.Now().Add(patience)
	for !ok() {
		select {
		case err := <-p.ended:
			p.ended <- err
			p.t.Fatalf("waiting for %s: the server exited: %v: %s", what, err, p.said())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(limit) {
			p.t.Fatalf("waiting for %s: timeout after %v; the server logged:\n%s", what, patience, p.said())
		}
	}
}

// args are a call's arguments.
type args map[string]any

// invoke calls a tool and returns its text and structured content. A server that does not answer
// within 2*patience gets SIGQUIT, which prints its goroutines.
func (p *process) invoke(ctx context.Context, tool string, a args) (string, map[string]any, error) {
	late := time.AfterFunc(2*patience, func() { p.cmd.Process.Signal(syscall.SIGQUIT) })
	defer late.Stop()
	res, err := p.client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		return "", nil, err
	}
	if res.IsError {
		return "", nil, errors.New(peer.Text(res))
	}
	data, _ := res.StructuredContent.(map[string]any)
	return peer.Text(res), data, nil
}

// call calls a tool, which must not fail.
func (p *process) call(tool string, a args) (string, map[string]any) {
	p.t.Helper()
	text, data, err := p.invoke(p.t.Context(), tool, a)
	if err != nil {
		p.t.Fatalf("%s %v: %v", tool, a, err)
	}
	return text, data
}

// fails calls a tool and checks that it fails with an error that contains all the words.
func (p *process) fails(tool string, a args, words ...string) {
	p.t.Helper()
	text, _, err := p.invoke(p.t.Context(), tool, a)
	if err == nil {
		p.t.Fatalf("%s %v answers %s, want an error", tool, a, text)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			p.t.Errorf("%s %v: %v; want %q", tool, a, err, w)
		}
	}
}

// start starts bash on a host, or without a host argument if host is "", and returns the session
// ID.
func (p *process) start(host string) string {
	p.t.Helper()
	a := args{"command": "bash", "args": []string{"--norc"}, "env": map[string]string{"PS1": "$ "}}
	prefix := "s"
	if host != "" {
		a["host"] = host
		prefix = host + "/s"
	}
	_, data := p.call("start_process", a)
	id, _ := data["session_id"].(string)
	if !strings.HasPrefix(id, prefix) {
		p.t.Fatalf("the session on host %q has the ID %q", host, id)
	}
	return id
}

// knows waits until the server knows the nodes.
func (p *process) knows(names ...string) {
	p.t.Helper()
	p.await("nodes "+strings.Join(names, ", "), func() bool {
		out, err := fleetCommand(p, "--json")
		return err == nil && !slices.ContainsFunc(names, func(n string) bool { return !strings.Contains(out, `"name":"`+n+`"`) })
	})
}

// fleetCommand runs glasstty fleet list against the NATS server of a process.
func fleetCommand(p *process, words ...string) (string, error) {
	return natsCommand(p, append([]string{"list"}, words...)...)
}

// natsCommand runs a glasstty fleet command against the NATS server of a process.
func natsCommand(p *process, words ...string) (string, error) {
	cmd := command(append([]string{"fleet"}, words...)...)
	at := slices.Index(p.cmd.Args, "--fleet")
	cmd.Env = append(slices.Clip(p.cmd.Env), "GLASSTTY_FLEET="+p.cmd.Args[at+1])
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return string(out), err
}
