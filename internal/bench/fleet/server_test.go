package fleet

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// fleetDir returns a directory created by glasstty fleet init, with a free port.
func fleetDir(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	initFleet(t, "--host", "127.0.0.1", "--gateway", "first", dir)
	conf := filepath.Join(dir, "nats.conf")
	text, err := os.ReadFile(conf)
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(freePorts(t, 1)[0])
	if err := os.WriteFile(conf, []byte(strings.Replace(string(text), "port: 4222", "port: "+port, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// initFleet runs glasstty fleet init.
func initFleet(t *testing.T, words ...string) string {
	t.Helper()
	out, err := command(append([]string{"fleet", "init"}, words...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestFleetServer checks that serve --fleet-server runs a fleet's NATS server: it starts NATS,
// restarts it when it dies, hands it over to the next server, and ends it.
func TestFleetServer(t *testing.T) {
	t.Parallel()
	path := "PATH=" + filepath.Dir(natsProgram(t)) + ":" + os.Getenv("PATH")
	dir := fleetDir(t)
	start := func(home string, flags ...string) *process {
		t.Helper()
		cmd := serveCommand(home, append([]string{"--fleet-server", dir, "--node", "first"}, flags...)...)
		cmd.Env = append(cmd.Env, path)
		p := newProcess(t, home, cmd)
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("log of first:\n%s", p.said())
			}
			p.end(syscall.SIGTERM)
		})
		p.connect()
		return p
	}
	first := start(t.TempDir())
	words := initFleet(t, "--node", "second", dir)
	var url string
	for word := range strings.FieldsSeq(words) {
		if strings.HasPrefix(word, "tls://") {
			url = word
		}
	}
	if !strings.Contains(first.said(), "serving the fleet at "+url+"; to add a node: glasstty fleet init --node NAME "+dir) {
		t.Errorf("the server logs %q, init prints %q", first.said(), words)
	}
	pid := natsPID(t, dir)
	signal(t, pid, syscall.SIGHUP) // as nats-server --signal reload does
	second := startNode(t, url, "second", "--fleet-creds", filepath.Join(dir, "second.node"))
	works := func(p *process) {
		t.Helper()
		p.await("a call on second", func() bool {
			_, data, err := p.invoke(t.Context(), "start_process", args{"host": "second", "command": "echo", "args": []string{"hello"}, "until": "exit"})
			return err == nil && data["initial_output"] == "hello"
		})
	}
	works(first)

	signal(t, pid, syscall.SIGKILL)
	first.await("the restart of NATS", func() bool { return natsPID(t, dir) != pid })
	works(first)
	if !strings.Contains(first.said(), "the NATS server exited and is restarted") {
		t.Errorf("the server logs %q", first.said())
	}

	next := start(first.home, "--replace")
	works(next)
	pid = natsPID(t, dir)
	if runtime.GOOS == "linux" {
		next.end(syscall.SIGKILL)
		second.await("NATS to end with its server", func() bool { return syscall.Kill(pid, 0) != nil })
		next = start(first.home)
		works(next)
		pid = natsPID(t, dir)
	}
	next.end(syscall.SIGTERM)
	if syscall.Kill(pid, 0) == nil {
		t.Error("NATS keeps running after its server has exited")
	}
}

// natsPID returns the process ID of a fleet's NATS server, or 0 if there is none.
func natsPID(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "nats.pid"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// signal sends a signal to a process.
func signal(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if pid == 0 { // 0 would mean this process's group
		t.Fatalf("%v: there is no process", sig)
	}
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatalf("%v to %d: %v", sig, pid, err)
	}
}

// TestFleetServerFails checks the errors of --fleet-server when it cannot serve.
func TestFleetServerFails(t *testing.T) {
	t.Parallel()
	dir, taken := fleetDir(t), fleetDir(t)
	conf, err := os.ReadFile(filepath.Join(taken, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(string(conf), "port: ")
	port, _, _ = strings.Cut(port, "\n")
	l, err := net.Listen("tcp", ":"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	nats := filepath.Dir(natsProgram(t))
	for _, tt := range []struct {
		path  string
		flags []string
		want  string
	}{
		{"/nowhere", []string{"--fleet-server", dir}, "github.com/nats-io/nats-server/releases"},
		{nats, []string{"--fleet-server", dir, "--fleet", "nats://127.0.0.1"}, "leave out --fleet"},
		{nats, []string{"--fleet-server", taken}, "address already in use"},
		{nats, []string{"--fleet-server", os.DevNull}, "--fleet-server: "},
		{nats, []string{"--fleet-server", dir, "--node", "a/b"}, `"a/b"`},
	} {
		home := t.TempDir()
		cmd := serveCommand(home, tt.flags...)
		cmd.Env = append(cmd.Env, "PATH="+tt.path)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("%v: %v: %s; want %q", tt.flags, err, out, tt.want)
		}
	}
}
