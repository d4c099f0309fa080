package fleet

import (
	"encoding/json"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/glasstty/glasstty/internal/fleet"
)

// withRecords returns the options of a NATS server that stores the nodes' records.
func withRecords(t testing.TB) server.Options {
	return server.Options{JetStream: true, StoreDir: t.TempDir()}
}

// records returns a function that reports the record of a node, and whether it exists.
func records(t *testing.T, url string) func(name string) (fleet.State, bool) {
	t.Helper()
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := conn.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) (s fleet.State, ok bool) {
		kv, err := js.KeyValue("glasstty-nodes")
		if err != nil {
			return s, false
		}
		e, err := kv.Get(name + "._")
		return s, err == nil && json.Unmarshal(e.Value(), &s) == nil
	}
}

// TestRecords checks the records of nodes: a gateway that starts after a node was killed knows
// the node, an operator can mark it as lost, and the node can still come back.
func TestRecords(t *testing.T) {
	t.Parallel()
	url := startNATS(t, withRecords(t)).ClientURL()
	gate := startNode(t, url, "gate", "--gateway")
	home := t.TempDir()
	node := startIn(t, home, url, "node")
	startNode(t, url, "other")
	gate.knows("node", "other")
	id := gate.start("node")
	gate.call("send_and_read", args{"session_id": id, "text": "x=$((6*7))", "press_enter": true})
	record := records(t, url)
	gate.await("the node's record", func() bool { s, ok := record("node"); return ok && s.Sessions == 1 })
	node.end(syscall.SIGKILL)

	late := startNode(t, url, "late", "--gateway")
	list := func() string {
		t.Helper()
		out, err := fleetCommand(late)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(out), " ")
	}
	late.await("the records", func() bool { return strings.Contains(list(), "node unreachable (its latest record is ") })
	late.await("the records at the gateway", func() bool {
		_, data := late.call("list_sessions", nil)
		away, _ := data["unreachable"].([]any)
		return len(away) == 1 && away[0] == "node"
	})
	late.fails("snapshot", args{"session_id": id}, "node is unreachable (its latest record is ", "its sessions return with it", "glasstty fleet forget node")

	if _, err := natsCommand(late, "forget", "other"); err == nil || !strings.Contains(err.Error(), "node other answers") {
		t.Errorf("forget of a reachable node: %v", err)
	}
	if _, err := natsCommand(late, "forget", "nobody"); err == nil || !strings.Contains(err.Error(), `"nobody"`) {
		t.Errorf("forget of an unknown node: %v", err)
	}
	if out, err := natsCommand(late, "forget", "node"); err != nil || !strings.Contains(out, "node: lost") {
		t.Errorf("forget prints %q, %v", out, err)
	}
	for _, p := range []*process{gate, late} {
		p.await("the node to be lost", func() bool {
			_, _, err := p.invoke(t.Context(), "snapshot", args{"session_id": id})
			return err != nil && strings.Contains(err.Error(), "node is lost")
		})
		if text, data := p.call("list_sessions", nil); data["unreachable"] != nil {
			t.Errorf("list_sessions with a lost node answers %q, %v", text, data)
		}
	}
	if out := list(); !strings.Contains(out, "node lost") {
		t.Errorf("glasstty fleet list prints %s", out)
	}

	node = startIn(t, home, url, "node")
	for _, p := range []*process{gate, late} {
		p.await("the node", func() bool {
			_, data, err := p.invoke(t.Context(), "send_and_read", args{"session_id": id, "text": "echo $x", "press_enter": true})
			return err == nil && data["output"] == "42"
		})
	}
	late.await("the node's new record", func() bool { s, ok := record("node"); return ok && s.Sessions == 1 })
	node.end(syscall.SIGTERM)
	late.await("the removal of the node's record", func() bool { _, ok := record("node"); return !ok })
	late.await("the node to leave", func() bool { return !strings.Contains(list(), " node ") })
}

// TestRollup checks that a node cannot clear the records of all nodes with a rollup message on
// its own record.
func TestRollup(t *testing.T) {
	t.Parallel()
	url := startNATS(t, withRecords(t)).ClientURL()
	gate := startNode(t, url, "gate", "--gateway")
	startNode(t, url, "other")
	record := records(t, url)
	gate.await("the other's record", func() bool { _, ok := record("other"); return ok })
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	msg := nats.NewMsg("$KV.glasstty-nodes.node._")
	msg.Header.Set(nats.MsgRollup, nats.MsgRollupAll)
	answer, err := conn.RequestMsg(msg, patience)
	if err != nil || !strings.Contains(string(answer.Data), "rollup not permitted") {
		t.Errorf("rollup: got error %v, answer %s", err, answer.Data)
	}
	if _, ok := record("other"); !ok {
		t.Error("the other node's record is gone")
	}
}

// TestRecordsLater checks that a gateway that starts before its NATS server knows the recorded
// nodes as soon as it is connected.
func TestRecordsLater(t *testing.T) {
	t.Parallel()
	o := withRecords(t)
	nats1 := startNATS(t, o)
	url := nats1.ClientURL()
	gate := join(t, fleet.Options{URL: url, Name: "gate", Server: true})
	if err := gate.AwaitRecords(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Request("$KV.glasstty-nodes.node.x", []byte(`{"name":"node","instance":"i1"}`), patience); err != nil {
		t.Fatal(err)
	}
	gate.Close()
	o.Port = portOf(nats1)
	nats1.Shutdown()
	nats1.WaitForShutdown()
	late := join(t, fleet.Options{URL: url, Name: "late", Server: true})
	startNATS(t, o)
	for limit := time.Now().Add(patience); late.Connected() != nil; <-time.After(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("the gateway did not connect")
		}
	}
	if _, err := late.Call(t.Context(), "node", "id", nil, nil); !errors.Is(err, fleet.ErrUnreachable) {
		t.Errorf("a call to an unreachable node: %v", err)
	}
}
