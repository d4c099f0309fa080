package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// TestDrain checks that a draining node takes no new sessions from other members or its own
// clients and is not chosen by selectors, that its sessions continue, and that it is reported as
// empty when they have ended.
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
		t.Errorf("drain prints %q", out)
	}
	if out := list(); !strings.Contains(out, "one draining 1/") {
		t.Errorf("glasstty fleet list prints %s", out)
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
		t.Errorf("drain --wait prints %q", out)
	}
	if out := list(); !strings.Contains(out, "one empty 0/") {
		t.Errorf("glasstty fleet list prints %s", out)
	}
	if out := run("resume", "one"); !strings.Contains(out, "one: here") {
		t.Errorf("resume prints %q", out)
	}
	gate.start("one")
	if _, err := natsCommand(gate, "drain", "nobody"); err == nil || !strings.Contains(err.Error(), `"nobody"; there are`) {
		t.Errorf("drain of an unknown node: %v", err)
	}
}

// TestOrdersAudited checks that drain, resume and forget are recorded in the audit log of the
// node or the gateway and shipped, and that a node whose audit log cannot be written does not
// drain.
func TestOrdersAudited(t *testing.T) {
	t.Parallel()
	url, dir := startNATS(t, withRecords(t)).ClientURL(), t.TempDir()
	gate := startNode(t, url, "gate", "--gateway", "--audit-log", filepath.Join(dir, "gate"))
	logs := filepath.Join(dir, "node")
	if err := os.Mkdir(logs, 0o700); err != nil {
		t.Fatal(err)
	}
	node := startNode(t, url, "node", "--audit-log", filepath.Join(logs, "log"), "--audit", "required")
	other := startNode(t, url, "other")
	gate.knows("node", "other")
	run := func(words ...string) {
		t.Helper()
		if out, err := natsCommand(gate, append(words, "--node", "desk")...); err != nil {
			t.Fatal(out, err)
		}
	}
	audited := func(member, event string) {
		t.Helper()
		gate.await(event, func() bool {
			text := auditStream(url, member)
			for line := range strings.Lines(text) {
				if strings.Contains(line, `"event":"`+event+`"`) {
					ok := true
					for _, want := range []string{`"via":"fleet"`, `"who":"uid `, ` on `, `"from":"gateway desk"`, `"args":{"node":"node"}`} {
						ok = ok && strings.Contains(line, want)
					}
					if !ok {
						t.Errorf("the audit line is %s", line)
					}
					return true
				}
			}
			return false
		})
	}
	run("drain", "node")
	audited("node", "fleet.drain")
	run("resume", "node")
	audited("node", "fleet.resume")

	if err := os.RemoveAll(logs); err != nil {
		t.Fatal(err)
	}
	if out, err := natsCommand(gate, "drain", "node"); err == nil || !strings.Contains(err.Error(), "its log may say why") || !strings.Contains(node.said(), "fleet: drain") {
		t.Errorf("drain of a node that cannot write its audit log: %s %v", out, err)
	}
	node.end(syscall.SIGKILL)
	forget := func(name string) string {
		t.Helper()
		out, err := command("fleet", "forget", name, "--fleet", url, "--node", "desk").CombinedOutput()
		if err != nil {
			t.Fatal(string(out), err)
		}
		return string(out)
	}
	if out := forget("node"); out != "node: lost\n" {
		t.Errorf("forget prints %s", out)
	}
	audited("gate", "fleet.forget")
	gate.end(syscall.SIGKILL)
	if out := forget("node"); out != "node was lost already\n" {
		t.Errorf("a second forget prints %s", out)
	}
	other.end(syscall.SIGKILL)
	if out := forget("other"); out != "other: lost\n" {
		t.Errorf("without a gateway, forget prints %s", out)
	}
}

// TestBadNames checks that the fleet commands refuse invalid names.
func TestBadNames(t *testing.T) {
	t.Parallel()
	const flag = "--fleet=nats://127.0.0.1:1" // never contacted
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"list", "", flag}, `invalid hosts "" (examples: build7`},
		{[]string{"forget", "", flag}, "example: build-7); glasstty fleet lists the nodes"},
		{[]string{"drain", "", flag}, `invalid node name ""`},
		{[]string{"resume", "a.b", flag}, `invalid node name "a.b"`},
		{[]string{"audit", "", flag}, `invalid node name ""`},
	} {
		out, err := command(append([]string{"fleet"}, c.words...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%q: %v, %s; want %q", c.words, err, out, c.want)
		}
	}
}
