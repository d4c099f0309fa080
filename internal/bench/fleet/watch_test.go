package fleet

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// A meter is a proxy to a NATS server that counts the bytes from it.
type meter struct {
	net.Listener
	to    string
	bytes atomic.Int64
}

// metered returns a meter in front of a NATS server, and its address.
func metered(b *testing.B, s *server.Server) (*meter, string) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	m := &meter{Listener: l, to: s.Addr().String()}
	go m.serve()
	return m, "nats://" + l.Addr().String()
}

// serve accepts connections and forwards them.
func (m *meter) serve() {
	for {
		near, err := m.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", m.to)
		if err != nil {
			near.Close()
			return
		}
		go func() { io.Copy(far, near); far.Close() }()
		go func() { io.Copy(near, io.TeeReader(far, m)); near.Close() }()
	}
}

// Write counts the bytes.
func (m *meter) Write(p []byte) (int, error) {
	m.bytes.Add(int64(len(p)))
	return len(p), nil
}

// A counted connection counts the bytes that are read from it.
type counted struct {
	net.Conn
	bytes *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.bytes.Add(int64(n))
	return n, err
}

// watching is a client that watches a session, with the number of bytes received.
type watching struct {
	b      *testing.B
	client *live.Client
	bytes  *atomic.Int64
}

// watch watches a session through the socket of a server.
func (p *process) watch(b *testing.B, node, id string) *watching {
	b.Helper()
	w := &watching{b: b, bytes: new(atomic.Int64)}
	h := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", p.socket)
		return counted{conn, w.bytes}, err
	}}}
	var err error
	if w.client, err = live.Dial(b.Context(), h, "/live/", node, "anna"+node, "Anna"); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.client.Close() })
	if err := w.client.Send(b.Context(), live.Action{N: 1, Do: "watch", Large: id}); err != nil {
		b.Fatal(err)
	}
	return w
}

// sees waits for a row on the screen.
func (w *watching) sees(row string) {
	for {
		m, err := w.client.Next(w.b.Context())
		if err != nil {
			w.b.Fatal(err)
		}
		if m.Frame == nil {
			continue
		}
		for _, l := range m.Frame.Lines {
			for _, s := range l.Spans {
				if s.Text == row {
					return
				}
			}
		}
	}
}

// BenchmarkWatch makes a session print one line at a time. It reports the bytes per line sent to
// a client that watches on the session's node, to one that watches through another node, and from
// NATS to that other node, and how much later the second client sees the line.
func BenchmarkWatch(b *testing.B) {
	nats := startNATS(b, server.Options{})
	meter, url := metered(b, nats)
	node := startNode(b, nats.ClientURL(), "node")
	gate := startNode(b, url, "gate", "--gateway")
	gate.knows("node")
	far := gate.start("node")
	id := far[len("node/"):]
	here, there := node.watch(b, "", id), gate.watch(b, "node", far)
	node.call("send_and_read", args{"session_id": id, "text": "stty -echo; PS1=; clear; exec cat", "press_enter": true})
	n := 0
	var later []time.Duration
	say := func() {
		n++
		row := fmt.Sprintf("object %d is built", n)
		node.call("send_input", args{"session_id": id, "text": row, "press_enter": true})
		here.sees(row)
		later = append(later, took(func() { there.sees(row) }))
	}
	say()
	local, fleet, wire := here.bytes.Load(), there.bytes.Load(), meter.bytes.Load()
	for b.Loop() {
		say()
	}
	each := func(from int64, now *atomic.Int64) float64 { return float64(now.Load()-from) / float64(n-1) }
	b.ReportMetric(each(local, here.bytes), "local-bytes/change")
	b.ReportMetric(each(fleet, there.bytes), "fleet-bytes/change")
	b.ReportMetric(each(wire, &meter.bytes), "nats-bytes/change")
	slices.Sort(later)
	b.ReportMetric(float64(later[len(later)/2].Microseconds())/1000, "later-p50-ms")
}
