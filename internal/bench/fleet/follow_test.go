package fleet

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// TestFollow checks that glasstty fleet --watch reports a node that joins and leaves. While the
// NATS server is down, it reports the lost connection, not nodes that do not answer.
func TestFollow(t *testing.T) {
	t.Parallel()
	o := server.Options{}
	nats := startNATS(t, o)
	url := nats.ClientURL()
	cmd := exec.CommandContext(t.Context(), binary, "fleet", "--watch", "--json", "--fleet", url)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have exited
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	next := func(node, is string, passed ...string) {
		t.Helper()
		for lines.Scan() {
			var e struct{ Node, Is string }
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Fatal(err)
			}
			if e.Node == node && strings.HasPrefix(e.Is, is) {
				return
			}
			ok := false
			for _, p := range passed {
				ok = ok || strings.HasPrefix(e.Is, p)
			}
			if !ok {
				t.Fatalf("before node %s is %q: unexpected event %s", node, is, lines.Bytes())
			}
		}
		t.Fatalf("%s never is %q", node, is)
	}
	node := startNode(t, url, "node")
	next("node", "here, sessions 0/")
	node.start("")
	next("node", "here, sessions 1/", "unreachable") // unreachable only if the machine is busy
	o.Port = portOf(nats)
	nats.Shutdown()
	nats.WaitForShutdown()
	next(url, "no connection")
	startNATS(t, o)
	next(url, "connected again")
	second := startNode(t, url, "second")
	next("second", "here", "here", "unreachable") // the first node may be unreachable while it reconnects
	second.end(syscall.SIGTERM)
	next("second", "left", "here", "unreachable")
}
