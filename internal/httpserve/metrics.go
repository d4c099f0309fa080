package httpserve

import "net/http"

// The outcomes of a tool call, as /metrics counts them.
const (
	outcomeOK        = "ok"
	outcomeError     = "error"     // the tool says so
	outcomeRefused   = "refused"   // not allowed, or too many
	outcomeCancelled = "cancelled" // by the client, or by its end
	outcomeProtocol  = "protocol"  // no such tool, bad request
)

// otherTool is the label of unknown tools, so that clients cannot create series.
const otherTool = "other"

// metrics are the families that this package counts.
type metrics struct {
	exposition
	conns, clients, waiting     *family
	bytesIn, bytesOut           *family
	refused, calls, callSeconds *family
}

// newMetrics returns metrics that are all zero.
func newMetrics() *metrics {
	m := &metrics{}
	m.conns = m.add("glasstty_connections", gauge, "Connections that are open.")
	m.clients = m.add("glasstty_clients", gauge, "MCP sessions that are open.")
	m.waiting = m.add("glasstty_calls_waiting", gauge, "Tool calls under way.")
	m.bytesIn = m.add("glasstty_received_bytes_total", counter, "Bytes of request bodies.")
	m.bytesOut = m.add("glasstty_sent_bytes_total", counter, "Bytes of answers.")
	m.refused = m.add("glasstty_refused_total", counter, "Requests and connections refused, by reason.", "reason")
	m.calls = m.add("glasstty_calls_total", counter, "Tool calls, by tool and outcome.", "outcome", "tool")
	m.callSeconds = m.add("glasstty_call_seconds", histogram, "How long tool calls take, waiting included.", "tool")
	m.callSeconds.bounds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 600}
	for _, one := range []*family{m.conns, m.clients, m.waiting, m.bytesIn, m.bytesOut} {
		one.count(0)
	}
	for _, reason := range []string{refusedHost, refusedOrigin, refusedToken, refusedUser, refusedScope, refusedRate,
		refusedConns, refusedBody, refusedCalls, refusedClients, refusedStop} {
		m.refused.count(0, reason) // every series exists from the start
	}
	m.addProcess()
	return m
}

// handler answers /metrics in the text format of Prometheus, version 0.0.4.
func (m *metrics) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(m.text()) // the client may have disconnected
	})
}

// Gauge adds a gauge named glasstty_NAME to /metrics, with one constant label,
// which may be empty. It is read by value, at any time.
func (s *Server) Gauge(name, help, label, is string, value func() float64) {
	if label == "" {
		s.metrics.add("glasstty_"+name, gauge, help).watch(value)
		return
	}
	s.metrics.add("glasstty_"+name, gauge, help, label).watch(value, is)
}
