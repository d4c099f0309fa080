package abuse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/httpserve"
	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/confine"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"
)

// serve starts a server and a client.
func serve(t *testing.T, o session.Options) *rig {
	t.Helper()
	mgr := session.NewManager(o)
	t.Cleanup(func() {
		if err := mgr.Close(); err != nil {
			t.Error(err)
		}
	})
	srv, err := mcpserver.New(mgr, mcpserver.Options{Structured: mcpserver.StructuredOn})
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	ctx := context.WithoutCancel(t.Context())
	if _, err := srv.MCP().Connect(ctx, here, nil); err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t}
	if r.client, err = mcp.NewClient(&mcp.Implementation{Name: "abuse", Version: "1"}, nil).Connect(ctx, there, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.client.Close() })
	return r
}

// A world is what surrounds a sandbox: files, processes and listeners that exist to be
// attacked.
type world struct {
	*testing.T
	self             string
	dir              string // holds outside, project and data
	project          string // the working directory
	tcp, udp, local  string // listeners
	abstract         string
	victim           int // a process of the same user
	inherited        int // a descriptor open in the server without O_CLOEXEC
	other            int // a process in another sandbox, and its terminal
	otherTTY         string
	victimTTY        string
	memory           string // an address in the victim
	policy           sandbox.Policy
	sandboxed, plain *rig
}

// with returns a copy of w whose sandbox has the given network.
func (w *world) with(network sandbox.Network) *world {
	p, other := w.policy, *w
	p.Network = network
	other.sandboxed = serve(w.T, session.Options{Confine: confine.Rules{Policy: p, Sandboxed: true}})
	return &other
}

// newWorld returns a new world. Its sandbox has the given policy and hides the data
// directory.
func newWorld(t *testing.T, p sandbox.Policy) *world {
	t.Helper()
	if sandbox.Probe().Landlock < 6 {
		t.Skip("needs Landlock ABI 6 or later")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, dir: dir, project: filepath.Join(dir, "project")}
	if w.self, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"project", "outside/dir", "data"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"data/token", "data/log"} {
		w.file(f)
	}
	w.listen()
	w.start()
	p.Hide = append(p.Hide, filepath.Join(dir, "data"))
	if p, err = p.Check(); err != nil {
		t.Fatal(err)
	}
	w.policy = p
	t.Setenv("GLASSTTY_TOKEN", "a-token-of-a-server")
	t.Setenv("EXAMPLE_API_KEY", "a key")
	w.sandboxed, w.plain = serve(t, session.Options{Confine: confine.Rules{Policy: p, Sandboxed: true}}), serve(t, session.Options{})
	w.other, w.otherTTY = w.sleeper(w.sandboxed)
	_, w.victimTTY = w.sleeper(w.plain)
	return w
}

// file creates a file with some content.
func (w *world) file(name string) string {
	w.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		w.Fatal(err)
	}
	return path
}

// listen opens the listeners. They send a greeting to every client.
func (w *world) listen() {
	w.Helper()
	w.local, w.abstract = filepath.Join(w.dir, "socket"), "glasstty-abuse-"+strconv.Itoa(os.Getpid())+filepath.Base(w.dir)
	for network, to := range map[string]*string{"tcp4": &w.tcp, "unix": &w.local, "unix@": &w.abstract} {
		addr := *to
		switch network {
		case "tcp4":
			addr = "127.0.0.1:0"
		case "unix@":
			network, addr = "unix", "@"+addr
		}
		l, err := net.Listen(network, addr)
		if err != nil {
			w.Fatal(err)
		}
		w.Cleanup(func() { l.Close() })
		if network == "tcp4" {
			*to = l.Addr().String()
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = io.WriteString(c, "hello") // the attacker may have closed the connection
				_ = c.Close()
			}
		}()
	}
	u, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { u.Close() })
	w.udp = u.LocalAddr().String()
}

// start starts the victim process and opens the descriptor that no program must
// inherit.
func (w *world) start() {
	w.Helper()
	cmd := exec.Command(need.Program(w, "sleep"), "600")
	cmd.Dir = filepath.Join(w.dir, "outside")
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	w.victim = cmd.Process.Pid
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", w.victim))
	if err != nil {
		w.Fatal(err)
	}
	start, _, _ := strings.Cut(string(maps), "-")
	at, err := strconv.ParseUint(start, 16, 64)
	if err != nil {
		w.Fatal(err)
	}
	w.memory = strconv.FormatUint(at, 10)
	if w.inherited, err = unix.Open(w.file("inherited"), unix.O_WRONLY, 0); err != nil { // without O_CLOEXEC
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = unix.Close(w.inherited) })
}

// sleeper starts sleep in a new session and returns its process ID and terminal.
func (w *world) sleeper(r *rig) (pid int, tty string) {
	w.Helper()
	res := r.call("start_process", map[string]any{"command": "sleep", "args": []any{"600"}, "cwd": w.project, "until": "none"})
	if res.IsError {
		w.Fatal(text(res))
	}
	pid = int(res.StructuredContent.(map[string]any)["pid"].(float64))
	tty, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", pid))
	if err != nil {
		w.Fatal(err)
	}
	return pid, tty
}

// attack runs an attack as a program of the server and returns what it printed.
func (w *world) attack(r *rig, args ...string) string {
	w.Helper()
	given := []any{attackArg}
	for _, a := range args {
		given = append(given, a)
	}
	call := map[string]any{"command": w.self, "args": given, "cwd": w.project, "until": "exit", "timeout": 30, "cols": 500}
	res := r.call("start_process", call)
	if res.IsError {
		w.Fatalf("%q: %s", args, text(res))
	}
	info := res.StructuredContent.(map[string]any)
	out, _ := info["initial_output"].(string)
	w.forget(r, info["session_id"])
	return strings.TrimSpace(out)
}

// forget deletes a session.
func (w *world) forget(r *rig, id any) {
	w.Helper()
	if res := r.call("delete_session", map[string]any{"session_id": id}); res.IsError {
		w.Error(text(res))
	}
}

// gotIn is the output of an attack that succeeded.
const gotIn = "GOT IN"

// A control says when an attack must succeed without a sandbox. An attack that never
// succeeds would prove nothing about the sandbox.
type control int

const (
	always control = iota
	asRoot
	never // not required: it depends on the kernel's settings
)

// try runs an attack without a sandbox, where it must succeed as where says, and in the
// sandbox, where it must be refused. It calls args before each run.
func (w *world) try(name string, where control, args func() []string) {
	w.Helper()
	if out := w.attack(w.plain, args()...); out != gotIn && (where == always || where == asRoot && os.Geteuid() == 0) {
		w.Errorf("%s: refused without a sandbox: %s", name, out)
	}
	if out := w.attack(w.sandboxed, args()...); !strings.HasPrefix(out, "REFUSED: ") {
		w.Errorf("%s: not refused in the sandbox: %s", name, out)
	}
}

// TestSandboxFiles checks that a sandboxed program cannot read the hidden data or
// change files outside its directory.
func TestSandboxFiles(t *testing.T) {
	w := newWorld(t, sandbox.Policy{})
	outside := func(attack string) func() []string {
		return func() []string { return []string{attack, w.file("outside/victim")} }
	}
	fresh := func(name string) string {
		path := filepath.Join(w.dir, name)
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, attack := range []string{"overwrite", "append", "truncate", "remove", "by root", "by dots", "by fd"} {
		w.try(attack, always, outside(attack))
	}
	for _, attack := range []string{"create", "mkdir", "socket in"} {
		w.try(attack, always, func() []string { return []string{attack, fresh("outside/new")} })
	}
	for name, args := range map[string]func() []string{
		"rename out":  func() []string { return []string{"rename", w.file("outside/victim"), fresh("project/taken")} },
		"rename in":   func() []string { return []string{"rename", w.file("project/own"), fresh("outside/given")} },
		"replace":     func() []string { return []string{"rename", w.file("project/own"), w.file("outside/victim")} },
		"a link":      func() []string { return []string{"by link", w.file("outside/victim"), fresh("project/link")} },
		"a hard link": func() []string { return []string{"by hard link", w.file("outside/victim"), fresh("project/hard")} },
	} {
		w.try(name, always, args)
	}
	token, log := filepath.Join(w.dir, "data/token"), filepath.Join(w.dir, "data/log")
	for name, args := range map[string][]string{
		"the token":                   {"read", token},
		"the token by root":           {"read by root", token},
		"the log":                     {"read", log},
		"the log written":             {"append", log},
		"a log made":                  {"create", filepath.Join(w.dir, "data/new")},
		"the token by a process":      {"read by name", strconv.Itoa(w.victim), "../data/token"},
		"a file by another's cwd":     {"read by name", strconv.Itoa(w.victim), "../outside/victim"},
		"a temporary file of another": {"create", filepath.Join(os.TempDir(), "glasstty-abuse-"+strconv.Itoa(os.Getpid()))},
	} {
		w.file("outside/victim")
		defer os.Remove(filepath.Join(os.TempDir(), "glasstty-abuse-"+strconv.Itoa(os.Getpid())))
		if strings.HasSuffix(name, "made") {
			fresh("data/new")
		}
		where := always
		if strings.Contains(name, "made") || strings.Contains(name, "temporary") {
			where = never // the run without a sandbox has already created it
		}
		w.try(name, where, func() []string { return args })
	}
	w.try("the token by a link", always, func() []string { return []string{"read by link", token, fresh("project/tok")} })
	w.try("a handle", never, func() []string { return []string{"handle", token} })
	w.try("the program for core dumps", asRoot, func() []string { return []string{"setting", "/proc/sys/kernel/core_pattern"} })
	w.try("a device", asRoot, func() []string { return []string{"device", fresh("project/null")} })
	if out := w.attack(w.sandboxed, "create", fresh("project/new")); out != gotIn {
		t.Errorf("creating a file in the working directory: %s", out)
	}
	if got, err := os.ReadFile(log); string(got) != "precious"+"x" { // "x" comes from the attack without a sandbox
		t.Errorf("the log contains %q (%v)", got, err)
	}
}

// TestSandboxProcesses checks that a sandboxed program cannot reach other processes,
// their terminals, environments and open files.
func TestSandboxProcesses(t *testing.T) {
	w := newWorld(t, sandbox.Policy{})
	victim, other := strconv.Itoa(w.victim), strconv.Itoa(w.other)
	for name, args := range map[string][]string{
		"environ":           {"environ", victim},
		"memory":            {"memory", victim},
		"files":             {"files", victim},
		"signal":            {"signal", victim},
		"signal by pidfd":   {"signal by pidfd", victim},
		"peek":              {"peek", victim, w.memory},
		"ptrace":            {"ptrace", victim},
		"take a descriptor": {"take a descriptor", victim},
		"limits":            {"limits of others", victim},
		"priority":          {"priority of others", victim},
		"policy":            {"policy of others", victim},
		"the other environ": {"environ", other},
		"the other signal":  {"signal", other},
		"the other ptrace":  {"ptrace", other},
		"inherited":         {"inherited", strconv.Itoa(w.inherited)},
		"another terminal":  {"another terminal", w.victimTTY},
		"the other sandbox": {"another terminal", w.otherTTY},
		"type":              {"type"},
		"type into tty":     {"type into /dev/tty"},
		"paste":             {"paste"},
		"a key":             {"variable", "EXAMPLE_API_KEY"},
		"a token":           {"variable", "GLASSTTY_TOKEN"},
	} {
		where := always
		switch name {
		case "type", "type into tty", "paste":
			where = never
		case "memory", "peek", "ptrace", "the other ptrace", "take a descriptor", "environ", "files", "the other environ":
			where = asRoot // Yama may forbid this to other users
		}
		w.try(name, where, func() []string { return args })
	}
	server := strconv.Itoa(os.Getpid())
	for _, attack := range []string{"environ", "memory", "files", "signal", "signal by pidfd", "take a descriptor", "limits of others", "priority of others", "priority of all", "policy of others"} {
		if out := w.attack(w.sandboxed, attack, server); !strings.HasPrefix(out, "REFUSED: ") {
			t.Errorf("%s on the server: not refused: %s", attack, out)
		}
	}
}

// TestSandboxSystem checks that a sandboxed program cannot make system calls that
// affect the whole machine.
func TestSandboxSystem(t *testing.T) {
	w := newWorld(t, sandbox.Policy{})
	for attack, where := range map[string]control{
		"io_uring": never, "mount": asRoot, "remount": asRoot, "umount": asRoot, "setns": asRoot, "keyring": never, "bpf": asRoot,
		"module": never, "reboot": asRoot, "clock": never, "namespace": asRoot, "user namespace": always,
		"privileges": always, "capabilities": asRoot,
	} {
		if attack == "capabilities" && os.Geteuid() != 0 {
			continue // only root has capabilities to drop
		}
		w.try(attack, where, func() []string { return []string{attack} })
	}
}

// TestSandboxSockets checks that a sandboxed program cannot connect to local sockets or
// use unusual socket families, and that TCP, UDP and localhost work unless the network
// is off.
func TestSandboxSockets(t *testing.T) {
	w := newWorld(t, sandbox.Policy{})
	for name, args := range map[string][]string{
		"a local socket": {"unix", w.local}, "an abstract one": {"abstract", w.abstract},
		"packets": {"packets"}, "raw": {"raw"}, "vsock": {"vsock"},
	} {
		where := always
		if len(args) == 1 {
			where = never
		}
		w.try(name, where, func() []string { return args })
	}
	alone := w.with(sandbox.NetworkNone)
	for _, args := range [][]string{{"tcp", w.tcp}, {"udp", w.udp}, {"localhost"}} {
		if out := w.attack(w.sandboxed, args...); out != gotIn {
			t.Errorf("%q must be allowed: %s", args, out)
		}
		alone.try("no network: "+args[0], always, func() []string { return args })
	}
}

// TestSandboxServers checks that a sandboxed program cannot use glasstty servers of the
// same user to do what the sandbox forbids: neither one on HTTP without a token, nor
// one on a local socket if the policy allows local sockets.
func TestSandboxServers(t *testing.T) {
	w := newWorld(t, sandbox.Policy{Sockets: true})
	web, err := httpserve.New(httpserve.Options{Host: "127.0.0.1", MCP: mcp.NewServer(&mcp.Implementation{Name: "abuse", Version: "1"}, nil)})
	if err != nil {
		t.Fatal(err)
	}
	l, err := web.Listen(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = web.Serve(l) }() // returns an error after Shutdown
	t.Cleanup(func() { _ = web.Shutdown(context.Background()) })
	url := web.URL(l) + "/metrics"
	for _, attack := range []string{"http", "http, hidden"} {
		where := always
		if attack != "http" && os.Geteuid() != 0 {
			where = never // a hidden process is refused as long as there is a sandbox
		}
		w.try(attack, where, func() []string { return []string{attack, url} })
	}
	own, err := localsock.Listen(t.Context(), filepath.Join(w.dir, "own", "socket"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { own.Close() })
	go func() {
		for {
			c, err := own.Accept()
			switch {
			case errors.Is(err, net.ErrClosed):
				return
			case err != nil:
				continue
			}
			_, _ = io.WriteString(c, "hello") // the attacker may have closed the connection
			_ = c.Close()
		}
	}()
	w.try("the server's socket", always, func() []string { return []string{"unix", own.Path()} })
	if out := w.attack(w.sandboxed, "unix", w.local); out != gotIn {
		t.Errorf("another local socket must be allowed: %s", out)
	}
}

// TestSandboxPorts checks that a sandboxed program can connect to the allowed ports
// only.
func TestSandboxPorts(t *testing.T) {
	w := newWorld(t, sandbox.Policy{Network: sandbox.NetworkPorts, Ports: []uint16{1}})
	for name, args := range map[string][]string{
		"tcp": {"tcp", w.tcp}, "mptcp": {"mptcp", w.tcp}, "fast open": {"fast open", w.tcp}, "a local socket": {"unix", w.local},
	} {
		where := always
		if name == "mptcp" || name == "fast open" {
			where = never
		}
		w.try(name, where, func() []string { return args })
	}
	port, err := strconv.ParseUint(w.tcp[strings.LastIndex(w.tcp, ":")+1:], 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	p, err := sandbox.Policy{Network: sandbox.NetworkPorts, Ports: []uint16{uint16(port)}}.Check()
	if err != nil {
		t.Fatal(err)
	}
	if out := w.attack(serve(t, session.Options{Confine: confine.Rules{Policy: p, Sandboxed: true}}), "tcp", w.tcp); out != gotIn {
		t.Errorf("the allowed port: %s", out)
	}
}

// TestSandboxPrivateNetwork checks that a sandboxed program cannot leave its private
// network but has its own localhost.
func TestSandboxPrivateNetwork(t *testing.T) {
	if !sandbox.Probe().Networks {
		t.Skip("this system does not let users create network namespaces")
	}
	w := newWorld(t, sandbox.Policy{Network: sandbox.NetworkPrivate})
	w.try("tcp", always, func() []string { return []string{"tcp", w.tcp} })
	w.try("an abstract socket", always, func() []string { return []string{"abstract", w.abstract} })
	w.with(sandbox.NetworkNone).try("none of its own", always, func() []string { return []string{"localhost"} })
	if out := w.attack(w.sandboxed, "localhost"); out != gotIn {
		t.Errorf("localhost of the private network: %s", out)
	}
}

// TestSandboxArguments checks that the arguments of start_process cannot loosen the
// sandbox.
func TestSandboxArguments(t *testing.T) {
	w := newWorld(t, sandbox.Policy{Network: sandbox.NetworkNone, Limits: sandbox.Limits{Memory: 1 << 30}})
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	for name, tt := range map[string]struct {
		args map[string]any
		says string
	}{
		"more to write":         {map[string]any{"sandbox": map[string]any{"write": []any{"/"}}}, `unknown argument "sandbox.write"`},
		"no sandbox":            {map[string]any{"sandbox": nil}, "must be {}"},
		"false":                 {map[string]any{"sandbox": false}, "must be {}"},
		"the home as directory": {map[string]any{"cwd": home}, "cannot be written (it holds "},
		"the root as directory": {map[string]any{"cwd": "/"}, "cannot be written"},
		"settings as directory": {map[string]any{"cwd": "/etc"}, "cannot be written (it belongs to the system)"},
		"the data as directory": {map[string]any{"cwd": filepath.Join(w.dir, "data")}, "cannot be written"},
		"what holds the data":   {map[string]any{"cwd": w.dir}, "which is protected"},
		"the launcher's loader": {map[string]any{"env": map[string]any{"LD_PRELOAD": filepath.Join(w.dir, "no.so")}}, ""},
		"the launcher's Go":     {map[string]any{"env": map[string]any{"GODEBUG": "inittrace=1"}}, ""},
	} {
		args := map[string]any{"command": "sh", "args": []any{"-c", "echo so; exec env sh -c 'touch \"$0\" 2>/dev/null && echo written' \"$PWD/touched\""}, "cwd": w.project, "until": "exit", "timeout": 20, "marks": false}
		for k, v := range tt.args {
			args[k] = v
		}
		got := text(w.sandboxed.call("start_process", args))
		inProject := args["cwd"] == w.project && tt.says == ""
		if !strings.Contains(got, tt.says) || strings.Contains(got, "written\n") != inProject || strings.Contains(got, "init ") {
			t.Errorf("%s: got %s, want %q", name, got, tt.says)
		}
	}
	// If the launcher obeyed LD_PRELOAD, the dynamic linker would print an error for it
	// as well.
	res := w.sandboxed.call("start_process", map[string]any{"command": w.self, "args": []any{attackArg, "privileges"}, "cwd": w.project, "until": "exit",
		"env": map[string]any{"LD_PRELOAD": filepath.Join(w.dir, "no.so")}})
	if n := strings.Count(text(res), "no.so"); n > 1 {
		t.Errorf("LD_PRELOAD took effect %d times: %s", n, text(res))
	}
}

// TestSandboxBwrap checks which attacks the bwrap backend refuses and which it allows.
func TestSandboxBwrap(t *testing.T) {
	need.Program(t, "bwrap")
	if err := exec.Command("bwrap", "--ro-bind", "/", "/", "true").Run(); err != nil {
		t.Skipf("bwrap cannot create namespaces here: %v", err)
	}
	w := newWorld(t, sandbox.Policy{Backend: sandbox.Bwrap})
	token, victim := filepath.Join(w.dir, "data/token"), strconv.Itoa(w.victim)
	for name, args := range map[string][]string{
		"overwrite":        {"overwrite", w.file("outside/victim")},
		"chmod":            {"chmod", w.file("outside/victim")},
		"by root":          {"by root", w.file("outside/victim")},
		"the token":        {"read", token},
		"the log":          {"append", filepath.Join(w.dir, "data/log")},
		"the log's growth": {"watch", filepath.Join(w.dir, "data/log")},
		"environ":          {"environ", victim},
		"signal":           {"signal", victim},
		"another terminal": {"another terminal", w.victimTTY},
		"a local socket":   {"unix", w.local},
		"an abstract one":  {"abstract", w.abstract},
		"inherited":        {"inherited", strconv.Itoa(w.inherited)},
		"a key":            {"variable", "EXAMPLE_API_KEY"},
		"user namespace":   {"user namespace"},
		"privileges":       {"privileges"},
	} {
		where := always
		if name == "environ" {
			where = asRoot
		}
		w.try(name, where, func() []string { return args })
	}
	w.try("remount", asRoot, func() []string { return []string{"remount"} })
	w.try("the program for core dumps", asRoot, func() []string { return []string{"setting", "/proc/sys/kernel/core_pattern"} })
	w.try("type", never, func() []string { return []string{"type"} })
	w.with(sandbox.NetworkPrivate).try("no network", always, func() []string { return []string{"tcp", w.tcp} })
	for _, args := range [][]string{{"tcp", w.tcp}, {"create", filepath.Join(w.project, "new")}} {
		if out := w.attack(w.sandboxed, args...); out != gotIn {
			t.Errorf("%q must be allowed: %s", args, out)
		}
	}
}
