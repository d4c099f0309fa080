package fleet

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// TestDrain has a node take no new sessions: from others, from its own clients, and
// where a selector means it. Its sessions go on, and it is empty when they have ended.
func TestDrain(t *testing.T) {
	t.Parallel()
	nats := startNATS(t, server.Options{})
	gate := startNode(t, nats.ClientURL(), "gate", "--gateway")
	one := startNode(t, nats.ClientURL(), "one")
	gate.knows("one")
	id := gate.start("one")
	list := func() string {
		t.Helper()
		out, err := fleetCommand(gate)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(out), " ")
	}
	run := func(words ...string) string {
		t.Helper()
		out, err := natsCommand(gate, words...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}

	if out := run("drain", "one"); !strings.Contains(out, "one: draining, sessions 1/") {
		t.Errorf("drain says %q", out)
	}
	if out := list(); !strings.Contains(out, "one draining 1/") {
		t.Errorf("the fleet is %s", out)
	}
	const refusal = "node one is draining and takes no new sessions"
	gate.fails("start_process", args{"command": "cat", "host": "one"}, refusal, "glasstty fleet resume one")
	one.fails("start_process", args{"command": "cat"}, refusal)
	gate.fails("start_process", args{"command": "cat", "host": "o*"}, `"o*"`, "draining")
	startNode(t, nats.ClientURL(), "other")
	gate.knows("other")
	if _, data := gate.call("start_process", args{"command": "cat", "host": "o*"}); !strings.HasPrefix(data["session_id"].(string), "other/") {
		t.Errorf("a draining node was chosen: %v", data)
	}
	if _, data := gate.call("send_and_read", args{"session_id": id, "text": "echo $((6*7))", "press_enter": true}); data["output"] != "42" {
		t.Errorf("a session of a draining node answers %v", data)
	}

	gate.call("terminate_process", args{"session_id": id})
	if out := run("drain", "--wait", "one"); !strings.Contains(out, "one: empty, sessions 0/") {
		t.Errorf("drain --wait says %q", out)
	}
	if out := list(); !strings.Contains(out, "one empty 0/") {
		t.Errorf("the fleet is %s", out)
	}
	if out := run("resume", "one"); !strings.Contains(out, "one: here") {
		t.Errorf("resume says %q", out)
	}
	gate.start("one")
	if _, err := natsCommand(gate, "drain", "nobody"); err == nil || !strings.Contains(err.Error(), `"nobody"; there are`) {
		t.Errorf("drain of an unknown node: %v", err)
	}
}
