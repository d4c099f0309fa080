package fleet

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// TestCopies checks that a cluster of three NATS servers keeps three copies of every stream,
// including streams that were created with one copy when the cluster had two servers.
func TestCopies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		first int // number of servers when the fleet starts
	}{{"three", 3}, {"grown", 2}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			copies(t, c.first)
		})
	}
}

// copies starts a fleet on a cluster of first servers, adds servers until there are three, and
// checks the number of copies.
func copies(t *testing.T, first int) {
	routes := server.RoutesFromStr("")
	add := func(i int) *server.Server {
		o := withRecords(t)
		o.ServerName = fmt.Sprint("n", i)
		o.Cluster = server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: -1}
		o.Routes = routes
		return startNATS(t, o)
	}
	s := add(0)
	routes = server.RoutesFromStr("nats://" + s.ClusterAddr().String())
	for i := 1; i < first; i++ {
		add(i)
	}
	at := s.ClientURL()
	log := filepath.Join(t.TempDir(), "audit")
	gate := startNode(t, at, "gate", "--gateway", recording)
	node := startNode(t, at, "node", recording, "--audit-log", log)
	id := node.start("")
	node.noise(id, 1<<10, "some")
	conn, err := nats.Connect(at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := conn.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	kept := func(copies int) {
		t.Helper()
		for _, stream := range []string{"KV_glasstty-nodes", "glasstty-recordings", "glasstty-audit"} {
			gate.await(fmt.Sprint(stream, " with ", copies), func() bool {
				info, err := js.StreamInfo(stream)
				return err == nil && info.State.Msgs > 0 && info.Config.Replicas == copies
			})
		}
	}
	kept(map[int]int{2: 1, 3: 3}[first])
	for i := first; i < 3; i++ {
		add(i)
	}
	kept(3)
	node.noise(id, 1<<10, "more")
	openArchive(t, at).same(node, "node", id)
	node.await("the audit records", func() bool { return auditStream(at, "node") == auditFile(t, log) })
}
