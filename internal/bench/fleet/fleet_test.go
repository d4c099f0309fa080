package fleet

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// TestFleet checks the tools on sessions of three nodes, called through one of the nodes and
// through a gateway.
func TestFleet(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	one := startNode(t, nats.ClientURL(), "one", "--label", "gpu=a100")
	startNode(t, nats.ClientURL(), "two", "--label", "gpu=h100")
	three := startNode(t, nats.ClientURL(), "three")
	gate := startNode(t, nats.ClientURL(), "gate", "--gateway")
	gate.knows("one", "two", "three")

	for _, p := range []*process{one, gate} {
		id := p.start("two")
		text, data := p.call("send_and_read", args{"session_id": id, "text": "echo $((6*7))", "press_enter": true})
		if data["session_id"] != id || data["output"] != "42" || !strings.HasPrefix(text, "42\n["+id+" running") {
			t.Errorf("send_and_read answers %q, %v", text, data)
		}
		if _, data := p.call("get_session_info", args{"session_id": id}); data["id"] != id {
			t.Errorf("get_session_info answers %v", data)
		}
		p.fails("send_and_read", args{"session_id": id, "text": "x", "timeout": -1}, "timeout", "-1")
		p.fails("snapshot", args{"session_id": "two/s99"}, "no session", "list_sessions")
		p.fails("snapshot", args{"session_id": "four/s1"}, "four", "one, three, two", "glasstty fleet")
	}

	own := one.start("")
	three.start("")
	text, data := one.call("list_sessions", nil)
	if n := len(data["sessions"].([]any)); n != 4 || !strings.Contains(text, "\ntwo/s1 running") || !strings.Contains(text, "three/s1 running") || !strings.Contains(text, own+" running") {
		t.Errorf("list_sessions has %d sessions, want 4:\n%s", n, text)
	}
	if text, _ := one.call("list_sessions", args{"host": "gpu=*"}); strings.Contains(text, "three/") || !strings.Contains(text, "two/s2") {
		t.Errorf("list_sessions with gpu=* answers\n%s", text)
	}
	if _, data := one.call("start_process", args{"command": "cat", "host": "gpu=h*"}); !strings.HasPrefix(data["session_id"].(string), "two/") {
		t.Errorf("start_process with gpu=h* chose %v, want node two", data["session_id"])
	}
	if _, data := one.call("start_process", args{"command": "cat", "host": "one"}); strings.Contains(data["session_id"].(string), "/") {
		t.Errorf("a session on the local host has the ID %v, want no host prefix", data["session_id"])
	}
	one.fails("start_process", args{"command": "cat", "host": "gpu=tpu"}, "gpu=tpu", "one, three, two")
	one.fails("start_process", args{"command": "cat", "host": 7}, `"host"`, "a number")
	gate.fails("start_process", args{"command": "cat"}, "gateway", "host")
	if _, data := one.call("wait_for", args{"session_ids": []string{"two/s1", "two/s2"}, "all": true}); len(data["sessions"].([]any)) != 2 {
		t.Errorf("wait_for answers %v", data)
	}
	elsewhere := t.TempDir()
	cmd := command("call", "--socket", one.socket, "start_process", "host=two", "command=pwd", "until=exit")
	cmd.Dir = elsewhere
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), elsewhere) || !strings.Contains(string(out), "[two/s") {
		t.Errorf("glasstty call with a host: %v\n%s", err, out)
	}
	out, err := fleetCommand(one, "gpu=a100")
	if err != nil || !strings.Contains(out, "one ") || strings.Contains(out, "two") || !strings.Contains(out, "gpu=a100") {
		t.Errorf("glasstty fleet: %v\n%s", err, out)
	}
}
