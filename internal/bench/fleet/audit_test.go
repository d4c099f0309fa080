package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/bench/peer"
	"github.com/glasstty/glasstty/internal/fleet"
)

// An auditLine holds the fields of an audit log line that the tests check.
type auditLine struct {
	Seq                                             int64
	Node, Event, Via, Who, From, Tool, Session, Why string
}

// readAudit parses the lines of an audit log.
func readAudit(t *testing.T, text string) (out []auditLine) {
	t.Helper()
	for line := range strings.Lines(text) {
		var l auditLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("invalid audit line %q: %v", line, err)
		}
		out = append(out, l)
	}
	return out
}

// auditFile returns the contents of an audit log file.
func auditFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// auditStream returns the lines of the given members' audit logs in the stream, or those of all
// members if none is given.
func auditStream(url string, members ...string) string {
	out, err := command(append([]string{"fleet", "audit", "--fleet", url}, members...)...).CombinedOutput()
	if err != nil {
		return fmt.Sprint(string(out), err)
	}
	return string(out)
}

// TestAudit checks that a gateway and a node ship their audit logs: a call is recorded with
// gateway, node and person, and each line of the file is in the stream once and in order,
// including lines from the time when NATS or the node's server was down.
func TestAudit(t *testing.T) {
	t.Parallel()
	o := withRecords(t)
	nats1 := startNATS(t, o)
	url := nats1.ClientURL()
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	const token = "the-token-of-a-person-called-ada"
	if err := os.WriteFile(tokens, []byte(token+" scope=full name=ada\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := map[string]string{"gate": filepath.Join(dir, "gate.log"), "node": filepath.Join(dir, "node.log")}
	gate := startNode(t, url, "gate", "--gateway", "--http", "--port", "0", "--token-file", tokens, "--audit-log", at["gate"])
	home := t.TempDir()
	node := startIn(t, home, url, "node", "--audit-log", at["node"])
	gate.knows("node")
	same := func() {
		t.Helper()
		for member, path := range at {
			gate.await("the audit records of "+member, func() bool { return auditStream(url, member) == auditFile(t, path) })
		}
	}
	id := gate.start("node")
	call, err := gate.withToken(token, "agent")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"echo seen", ": \u202e\u009b"} { // JSON does not escape these characters
		if res := call("send_input", args{"session_id": id, "text": text, "press_enter": true}); res.IsError {
			t.Fatal(peer.Text(res))
		}
	}
	same()
	found := map[string]bool{}
	for _, l := range readAudit(t, auditStream(url)) {
		if l.Tool == "send_input" && l.Who == "ada" {
			found[l.Node+" "+l.Via+" "+l.Session] = true
			if l.Node == "node" && !strings.HasPrefix(l.From, "gateway gate, http 127.0.0.1") {
				t.Errorf("the node's audit line has from %q", l.From)
			}
		}
	}
	out, err := natsCommand(gate, "audit", "nosuch")
	if err == nil || out != "" || !strings.HasSuffix(err.Error(), "exit status 1: glasstty: the audit stream has no records of \"nosuch\": servers with --audit-log ship theirs\n") {
		t.Errorf("audit of an unknown member: %q, %v", out, err)
	}
	if !found["node fleet s1"] || !found["gate http node/s1"] {
		t.Errorf("the audit lines of the call are %v, want one of the node and one of the gateway", found)
	}

	o.Port = portOf(nats1)
	nats1.Shutdown()
	nats1.WaitForShutdown()
	for range 20 { // while NATS is down
		node.call("send_and_read", args{"session_id": "s1", "text": "echo x", "press_enter": true})
	}
	node.await("the warning", func() bool { return strings.Contains(node.said(), "audit records are not shipped") })
	node.end(syscall.SIGKILL)
	node = startIn(t, home, url, "node", "--audit-log", at["node"])
	node.call("send_and_read", args{"session_id": "s1", "text": "echo y", "press_enter": true})
	nats2 := startNATS(t, o)
	same()
	before := auditStream(url, "node")

	// If the file is removed before its lines are shipped, the stream names the numbers of the
	// missing lines.
	nats2.Shutdown()
	nats2.WaitForShutdown()
	node.call("snapshot", args{"session_id": "s1"})
	node.end(syscall.SIGKILL)
	old := readAudit(t, auditFile(t, at["node"]))
	if err := os.Rename(at["node"], at["node"]+".1"); err != nil {
		t.Fatal(err)
	}
	node = startIn(t, home, url, "node", "--audit-log", at["node"])
	startNATS(t, o)
	node.await("the audit records of the new file", func() bool { return auditStream(url, "node") == before+auditFile(t, at["node"]) })
	gap := fmt.Sprintf("lines %d to %d ", len(readAudit(t, before))+1, len(old))
	node.await("the gap "+gap, func() bool {
		for _, l := range readAudit(t, auditStream(url, "node")) {
			if l.Event == "audit.unshipped" && strings.HasPrefix(l.Why, gap) {
				return true
			}
		}
		return false
	})
}

// TestAuditRights checks that a node and a gateway can ship only their own lines, that each line
// is stored once, and that only the gateway can read them. A full stream refuses new lines and
// keeps the old ones.
func TestAuditRights(t *testing.T) {
	t.Parallel()
	nodeFile, node := user(t, rights("node", true, false))
	gateFile, gate := user(t, rights("gate", false, true))
	o := withRecords(t)
	o.Nkeys = []*server.NkeyUser{node, gate}
	url := startNATS(t, o).ClientURL()
	echo := func(_ context.Context, body []byte, _ int, _ func([]byte)) []byte { return body }
	n := join(t, fleet.Options{URL: url, Creds: nodeFile, Name: "node", Server: true, Handle: echo})
	if _, err := n.Audit().Has(audit.Line{Seq: 1}); err == nil || !strings.Contains(err.Error(), "a gateway with --audit-log") {
		t.Errorf("Audit().Has before the stream exists: %v", err)
	}
	g := join(t, fleet.Options{URL: url, Creds: gateFile, Name: "gate", Server: true, Audit: true})
	for _, m := range []*fleet.Member{g, n} {
		if err := m.AwaitRecords(t.Context()); err != nil {
			t.Fatal(err)
		}
		one := audit.Line{Seq: 1, Hash: "0123456789abcdef", Text: []byte(`{"seq":1,"hash":"0123456789abcdef","node":"` + m.Name() + `","who":"` + m.Name() + `"}`)}
		two := audit.Line{Seq: 2, Hash: "1123456789abcdef", Text: []byte(`{"seq":2,"hash":"1123456789abcdef","node":"` + m.Name() + `","who":"` + m.Name() + `"}`)}
		for _, lines := range [][]audit.Line{{one}, {one, two}, {two}} {
			if err := m.Audit().Ship(t.Context(), lines); err != nil {
				t.Error(err)
			}
		}
		for line, want := range map[*audit.Line]bool{&one: true, &two: true, {Seq: 2, Hash: one.Hash}: false} {
			if has, err := m.Audit().Has(*line); err != nil || has != want {
				t.Errorf("%s: Audit().Has(line %d) = %v, %v", m.Name(), line.Seq, has, err)
			}
		}
	}
	read := func(m *fleet.Member) (out []string, err error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		_, err = m.Audit().Read(ctx, "*", func(l audit.Line) error {
			var of struct{ Who string }
			err := json.Unmarshal(l.Text, &of)
			out = append(out, fmt.Sprint(l.Node, l.Seq, " of ", of.Who))
			return err
		})
		return out, err
	}
	want := "[gate1 of gate gate2 of gate node1 of node node2 of node]"
	if got, err := read(g); fmt.Sprint(got) != want || err != nil {
		t.Errorf("Audit().Read of the gateway: got %v, %v", got, err)
	}
	if got, err := read(n); len(got) > 0 || err == nil {
		t.Errorf("Audit().Read of a node: got %v, %v, want an error", got, err)
	}

	option, err := nats.NkeyOptionFromSeed(nodeFile)
	if err != nil {
		t.Fatal(err)
	}
	refused := make(chan error, 16)
	evil, err := nats.Connect(url, option, nats.CustomInboxPrefix("_INBOX.node"),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	if err != nil {
		t.Fatal(err)
	}
	defer evil.Close()
	for _, subject := range []string{"glasstty.from.gate.audit.3.0", "$JS.API.STREAM.MSG.GET.glasstty-audit", "$JS.API.CONSUMER.CREATE.glasstty-audit",
		"$JS.API.STREAM.MSG.DELETE.glasstty-audit", "$JS.API.STREAM.PURGE.glasstty-audit", "$JS.API.STREAM.UPDATE.glasstty-audit", "$JS.API.STREAM.DELETE.glasstty-audit"} {
		if err := evil.Publish(subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		if err := <-refused; !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("publishing on %s: got error %v, want a permission violation", subject, err)
		}
	}
	js, err := evil.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	// A node can make NATS send its acknowledgement to any subject. Such an acknowledgement must
	// not be taken for a line.
	if err := evil.PublishRequest("glasstty.from.node.audit.7.0", "glasstty.from.gate.audit.3.0", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(patience); ; {
		if has, err := g.Audit().Has(audit.Line{Seq: 3, Hash: "0"}); err == nil && has {
			break
		}
		if time.Now().After(limit) {
			t.Fatal("the acknowledgement did not arrive")
		}
	}
	if got, err := read(g); fmt.Sprint(got) != want || err != nil {
		t.Errorf("with a misdirected acknowledgement, Audit().Read: got %v, %v", got, err)
	}
	for i, member := range []string{`"node":"gate"`, `"node":"node","node":"gate"`, `"node":"node","Node":"gate"`, `"node":"gate","x":{"node":"node"}`, `"who":"nobody"`, "\"node\":\"node\",\"x\":\n{\"node\":\"gate\"}\n"} {
		text := fmt.Sprintf(`{"seq":%d,"hash":"aa",%s}`, 10+i, member)
		if _, err := js.Publish(fmt.Sprintf("glasstty.from.node.audit.%d.aa", 10+i), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := read(g); fmt.Sprint(got) != want || err != nil {
		t.Errorf("with forged lines, Audit().Read: got %v, %v", got, err)
	}
	all := nats.NewMsg("glasstty.from.node.audit.3.0")
	all.Header.Set(nats.MsgRollup, nats.MsgRollupAll)
	if _, err := js.PublishMsg(all); err == nil {
		t.Error("a node can remove all audit lines")
	}
	large := bytes.Repeat([]byte("x"), 1000<<10)
	for err = nil; err == nil; {
		_, err = js.Publish("glasstty.from.node.audit.3.0", large)
	}
	if !strings.Contains(err.Error(), "maximum bytes exceeded") {
		t.Errorf("publishing to the full stream: %v", err)
	}
	if err := g.Audit().Ship(t.Context(), []audit.Line{{Seq: 3, Hash: "2123456789abcdef", Text: large}}); err == nil || !strings.Contains(err.Error(), "stores nothing") {
		t.Errorf("Audit().Ship to the full stream: %v", err)
	}
	if has, err := g.Audit().Has(audit.Line{Seq: 1, Hash: "0123456789abcdef"}); err != nil || !has {
		t.Errorf("the lines of another member are gone: %v", err)
	}
}

// TestAuditLong checks that a line that is too long for NATS is left out of the stream and named
// by its number. The line is too long because a crash left other data before it.
func TestAuditLong(t *testing.T) {
	t.Parallel()
	o := withRecords(t)
	o.MaxPayload = 16 << 10
	url, home := startNATS(t, o).ClientURL(), t.TempDir()
	log := filepath.Join(t.TempDir(), "log")
	node := startIn(t, home, url, "node", "--audit-log", log)
	node.end(syscall.SIGKILL)
	before := auditFile(t, log)
	if err := os.WriteFile(log, []byte(before+strings.Repeat("x", 20<<10)), 0o600); err != nil {
		t.Fatal(err)
	}
	node = startIn(t, home, url, "node", "--audit-log", log)
	node.await("the lines around it", func() bool {
		text, file := auditStream(url, "node"), auditFile(t, log)
		why := fmt.Sprintf("line %d has ", strings.Count(before, "\n")+1)
		return strings.Contains(text, why) && strings.Count(text, "\n") == strings.Count(file, "\n")-1
	})
}
