package fleet

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// TestCopies has a cluster of three servers keep three copies of everything.
func TestCopies(t *testing.T) {
	t.Parallel()
	var servers []*server.Server
	routes := server.RoutesFromStr("")
	for i := range 3 {
		o := withRecords(t)
		o.ServerName = fmt.Sprint("n", i)
		o.Cluster = server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: -1}
		o.Routes = routes
		s := startNATS(t, o)
		if i == 0 {
			routes = server.RoutesFromStr("nats://" + s.ClusterAddr().String())
		}
		servers = append(servers, s)
	}
	url := servers[0].ClientURL()
	gate := startNode(t, url, "gate", "--gateway", recording)
	node := startNode(t, url, "node", recording)
	id := node.start("")
	node.noise(id, 1<<10, "some")
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := conn.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	for _, stream := range []string{"KV_glasstty-nodes", "glasstty-recordings"} {
		gate.await(stream, func() bool {
			info, err := js.StreamInfo(stream)
			return err == nil && info.State.Msgs > 0
		})
		if info, err := js.StreamInfo(stream); err != nil || info.Config.Replicas != 3 {
			t.Errorf("%s: %+v, %v", stream, info, err)
		}
	}
	openArchive(t, url).same(node, "node", id)
}
