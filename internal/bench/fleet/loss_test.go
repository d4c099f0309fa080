package fleet

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// TestVanished checks that a gateway reports a killed node as unreachable, and that the node's
// sessions are back after its restart.
func TestVanished(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	gate := startNode(t, nats.ClientURL(), "gate", "--gateway")
	home := t.TempDir()
	node := startIn(t, home, nats.ClientURL(), "node")
	gate.knows("node")
	id := gate.start("node")
	gate.call("send_and_read", args{"session_id": id, "text": "x=$((6*7))", "press_enter": true})
	gate.fails("start_process", args{"command": "cat"}, "this server is a gateway", "there are 1: node")
	gate.fails("start_process", args{"command": "cat", "host": "gpu=a100"}, "there are node; their labels are arch=")

	node.end(syscall.SIGKILL)
	gate.fails("send_and_read", args{"session_id": id, "text": "echo $x", "press_enter": true}, "node is unreachable (noticed ", "its sessions return with it")
	gate.fails("start_process", args{"command": "cat", "host": "no*"}, `host "no*" matches only nodes that do not answer (node): unreachable`)
	text, data := gate.call("list_sessions", nil)
	if away, _ := data["unreachable"].([]any); len(away) != 1 || away[0] != "node" || !strings.Contains(text, "node is unreachable") {
		t.Errorf("list_sessions answers %q, %v", text, data)
	}

	gate.fails("list_sessions", args{"host": "nope"}, "no such host", `"nope"`, "there are node")
	if out, err := fleetCommand(gate, "nope"); err == nil || !strings.Contains(err.Error(), `no such host in the fleet: "nope"`) {
		t.Errorf("glasstty fleet list nope: %q, %v", out, err)
	}

	startIn(t, home, nats.ClientURL(), "node")
	gate.knows("node")
	if _, data := gate.call("send_and_read", args{"session_id": id, "text": "echo $x", "press_enter": true}); data["output"] != "42" {
		t.Errorf("after the node's restart, its session answers %v", data)
	}
	if text, _ := gate.call("list_sessions", nil); !strings.Contains(text, id+" running") {
		t.Errorf("after the node's restart, list_sessions answers\n%s", text)
	}
}

// TestLeft checks that a node whose server ended normally is gone from the fleet, not
// unreachable.
func TestLeft(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	gate := startNode(t, nats.ClientURL(), "gate", "--gateway")
	node := startNode(t, nats.ClientURL(), "node")
	gate.knows("node")
	id := gate.start("node")
	node.end(syscall.SIGTERM)
	gate.fails("snapshot", args{"session_id": id}, "no such host", "node", "this server knows no nodes")
	if text, data := gate.call("list_sessions", nil); data["unreachable"] != nil {
		t.Errorf("list_sessions answers %q, %v", text, data)
	}
}

// TestLost checks that calls continue and their input arrives once when, in the middle of a call,
// first the NATS server and then the node's server is restarted.
func TestLost(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	port, url := portOf(nats), nats.ClientURL()
	gate := startNode(t, url, "gate", "--gateway")
	home := t.TempDir()
	node := startIn(t, home, url, "node")
	gate.knows("node")
	id := gate.start("node")
	lines := filepath.Join(t.TempDir(), "lines")
	typed := func() int {
		b, err := os.ReadFile(lines)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return strings.Count(string(b), "\n")
	}
	// run types a line that runs until a file exists, so that the line ends after meanwhile
	// returns.
	run := func(meanwhile func()) {
		t.Helper()
		before, stop := typed(), filepath.Join(t.TempDir(), "stop")
		answered := make(chan error, 1)
		go func() {
			_, data, err := gate.invoke(t.Context(), "send_and_read", args{"session_id": id, "press_enter": true, "timeout": 45,
				"text": "echo x >> " + lines + "; until [ -e " + stop + " ]; do sleep .1; done; echo done-$((1+1))"})
			if err == nil && !strings.Contains(data["output"].(string), "done-2") {
				t.Errorf("the call answers %v, want the output done-2", data)
			}
			answered <- err
		}()
		gate.await("what is typed", func() bool { return typed() > before })
		meanwhile()
		if err := os.WriteFile(stop, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-answered:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Error("the call did not return")
		}
		if n := typed() - before; n != 1 {
			t.Errorf("the line was run %d times, want once", n)
		}
	}

	run(func() {
		nats.Shutdown()
		nats.WaitForShutdown()
		nats = startNATS(t, server.Options{Port: port})
		gate.knows("node")
	})
	run(func() {
		node.end(syscall.SIGKILL)
		startIn(t, home, url, "node")
		gate.knows("node")
	})
}

// TestLongWait checks a wait that is longer than a node may be silent.
func TestLongWait(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	gate := startNode(t, nats.ClientURL(), "gate", "--gateway")
	startNode(t, nats.ClientURL(), "node")
	gate.knows("node")
	id := gate.start("node")
	gate.call("send_input", args{"session_id": id, "text": "sleep 7; echo late-$((1+1))", "press_enter": true})
	if _, data := gate.call("wait_for", args{"session_id": id, "pattern": "late-2", "timeout": 40}); data["reason"] != "matched" {
		t.Errorf("the wait answers %v", data)
	}
}

// TestNATSDown checks that a server can start before its NATS server.
func TestNATSDown(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	port, url := portOf(nats), nats.ClientURL()
	nats.Shutdown()
	nats.WaitForShutdown()
	one := startNode(t, url, "one", recording, "--audit-log", filepath.Join(t.TempDir(), "audit"))
	if !strings.Contains(one.said(), "cannot reach the NATS server") {
		t.Errorf("the server logs %q", one.said())
	}
	own := one.start("")
	one.await("the warning", func() bool { return strings.Contains(one.said(), "recordings are not shipped") })
	if said := one.said(); strings.Contains(said, "JetStream") || strings.Contains(said, "headers") {
		t.Errorf("without NATS, the server logs %s", said)
	}
	if text, _ := one.call("list_sessions", nil); !strings.Contains(text, own+" running") {
		t.Errorf("without NATS, list_sessions answers\n%s", text)
	}
	one.fails("snapshot", args{"session_id": "two/s1"}, "two is unreachable", "NATS")
	startNATS(t, server.Options{Port: port})
	startNode(t, url, "two")
	one.knows("one", "two")
	one.start("two")
}

// TestNATSHung checks that while the NATS server hangs, errors name it and not the node.
func TestNATSHung(t *testing.T) {
	t.Parallel()
	port := freePorts(t, 1)[0]
	nats := exec.Command(natsProgram(t), "-a", "127.0.0.1", "-p", strconv.Itoa(port))
	if err := nats.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		nats.Process.Kill()
		nats.Wait()
	})
	url := fmt.Sprintf("nats://127.0.0.1:%d", port)
	gate := startNode(t, url, "gate", "--gateway")
	startNode(t, url, "node")
	gate.knows("node")
	id := gate.start("node")
	nats.Process.Signal(syscall.SIGSTOP)
	_, _, err := gate.invoke(t.Context(), "snapshot", args{"session_id": id})
	nats.Process.Signal(syscall.SIGCONT)
	if err == nil || !strings.Contains(err.Error(), "NATS") || strings.Contains(err.Error(), "forget") {
		t.Errorf("snapshot while NATS hangs: got error %v, want one that names NATS", err)
	}
	gate.knows("node")
	gate.call("snapshot", args{"session_id": id})
}

// TestOneName checks that a second node with the same name is refused and the first keeps the
// name.
func TestOneName(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	one := startNode(t, nats.ClientURL(), "one")
	second := begin(t, t.TempDir(), nats.ClientURL(), "one")
	select {
	case err := <-second.ended:
		second.ended <- err
		if err == nil || !strings.Contains(second.said(), `a node named "one" is in the fleet already`) || !strings.Contains(second.said(), "--node") {
			t.Errorf("the second server exited with %v and logged %q", err, second.said())
		}
	case <-time.After(patience):
		t.Error("the second server keeps running")
	}
	one.knows("one")
	// A server that replaces the first one gets its name.
	next := begin(t, one.home, nats.ClientURL(), "one", "--replace")
	next.connect()
	next.knows("one")
}

// TestBadFlags checks the errors of servers whose flags or names do not allow them to join.
func TestBadFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		url, name string
		flags     []string
		want      string
	}{
		{"nats://192.0.2.1:4222", "one", nil, "--fleet-creds"},
		{"http://127.0.0.1", "one", nil, "nats://host:4222"},
		{"nats://me:secret@127.0.0.1:4222", "one", nil, "every user of this machine can see"},
		{"nats://127.0.0.1:4222", "a/b", nil, "a/b"},
		{"nats://127.0.0.1:4222", "one", []string{"--label", "gpu"}, "gpu=a100"},
		{"nats://127.0.0.1:4222", "one", []string{"--label", "os=plan9"}, "os"},
		{"nats://127.0.0.1:4222", "one", []string{"--label", "gpu=a100", "--gateway"}, "leave one of them out"},
		{"nats://127.0.0.1:4222", "one", []string{"--place", "a,b"}, "examples: build7"},
		{"nats://127.0.0.1:4222", "one", []string{"--sandbox"}, "credentials"},
		{"", "one", nil, "need --fleet"},
	} {
		p := begin(t, t.TempDir(), tt.url, tt.name, tt.flags...)
		select {
		case err := <-p.ended:
			p.ended <- err
			if err == nil || !strings.Contains(p.said(), tt.want) {
				t.Errorf("%s %v: %v: %q; want %q", tt.url, tt.flags, err, p.said(), tt.want)
			}
		case <-time.After(patience):
			t.Errorf("%s %v: the server starts, want an error", tt.url, tt.flags)
		}
	}
}

// TestLeave checks a node's server that is stopped and leaves its programs running: the programs
// are back with the next server, and until then the node is reported as unreachable, not unknown.
func TestLeave(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	gate := startNode(t, nats.ClientURL(), "gate", "--gateway")
	home := t.TempDir()
	node := startIn(t, home, nats.ClientURL(), "node", "--leave")
	gate.knows("node")
	id := gate.start("node")
	gate.call("send_and_read", args{"session_id": id, "text": "x=$((6*7))", "press_enter": true})
	node.end(syscall.SIGTERM)
	gate.fails("send_and_read", args{"session_id": id, "text": "echo $x", "press_enter": true}, "node is unreachable", "its sessions return with it")
	startIn(t, home, nats.ClientURL(), "node")
	gate.knows("node")
	if _, data := gate.call("send_and_read", args{"session_id": id, "text": "echo $x", "press_enter": true}); data["output"] != "42" {
		t.Errorf("after the node's restart, its session answers %v", data)
	}
}
