package fleet

import (
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// BenchmarkCall compares, turn by turn, a call of a session on another node with the same
// call made there. It reports the medians.
func BenchmarkCall(b *testing.B) {
	nats := startNATS(b, server.Options{})
	node := startNode(b, nats.ClientURL(), "node")
	gate := startNode(b, nats.ClientURL(), "gate", "--gateway")
	gate.knows("node")
	id := gate.start("node")
	there := args{"session_id": id[len("node/"):]}
	here := args{"session_id": id}
	for _, tt := range []struct {
		tool string
		more args
	}{{"snapshot", nil}, {"send_and_read", args{"text": "echo hello", "press_enter": true}}} {
		b.Run(tt.tool, func(b *testing.B) {
			var local, remote []time.Duration
			for key, value := range tt.more {
				there[key], here[key] = value, value
			}
			for b.Loop() {
				local = append(local, took(func() { node.call(tt.tool, there) }))
				remote = append(remote, took(func() { gate.call(tt.tool, here) }))
			}
			for _, m := range []struct {
				name  string
				times []time.Duration
			}{{"local", local}, {"fleet", remote}} {
				slices.Sort(m.times)
				b.ReportMetric(float64(m.times[len(m.times)/2].Microseconds())/1000, m.name+"-p50-ms")
				b.ReportMetric(float64(m.times[len(m.times)*95/100].Microseconds())/1000, m.name+"-p95-ms")
			}
		})
	}
}

// took returns how long something took.
func took(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}
