package httpserve

import "net/http"

// The outcomes of a tool call in /metrics.
const (
	outcomeOK        = "ok"
	outcomeError     = "error"     // the tool returned an error
	outcomeRefused   = "refused"   // not allowed, or too many calls
	outcomeCancelled = "cancelled" // by the client, or because it disconnected
	outcomeProtocol  = "protocol"  // no such tool, bad request
)

// otherTool is the label of all unknown tools. It keeps clients from creating series.
const otherTool = "other"

// metrics contains the families that this package counts.
type metrics struct {
	exposition
	waiting                     *family
	bytesIn, bytesOut           *family
	refused, calls, callSeconds *family
}

// newMetrics returns metrics that are all zero.
func newMetrics() *metrics {
	m := &metrics{}
	m.waiting = m.add("glasstty_calls_waiting", gauge, "Tool calls under way.")
	m.bytesIn = m.add("glasstty_received_bytes_total", counter, "Bytes of request bodies.")
	m.bytesOut = m.add("glasstty_sent_bytes_total", counter, "Bytes of answers.")
	m.refused = m.add("glasstty_refused_total", counter, "Requests and connections refused, by reason.", "reason")
	m.calls = m.add("glasstty_calls_total", counter, "Tool calls, by tool and outcome.", "outcome", "tool")
	m.callSeconds = m.add("glasstty_call_seconds", histogram, "How long tool calls take, waiting included.", "tool")
	m.callSeconds.bounds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 600}
	for _, one := range []*family{m.waiting, m.bytesIn, m.bytesOut} {
		one.count(0)
	}
	for _, reason := range []string{refusedHost, refusedOrigin, refusedToken, refusedUser, refusedScope, refusedRate,
		refusedConns, refusedBody, refusedCalls, refusedClients, refusedStop} {
		m.refused.count(0, reason) // every series exists from the start
	}
	m.addProcess()
	return m
}

// handler returns the handler for /metrics. It uses the Prometheus text format 0.0.4.
func (m *metrics) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(m.text()) // the client may have disconnected
	})
}

// Gauge adds a gauge named glasstty_NAME to /metrics. value returns its value and may be called
// at any time. The label of the gauge has the constant labelValue.
func (s *Server) Gauge(name, help, label, labelValue string, value func() float64) {
	s.metrics.add("glasstty_"+name, gauge, help, label).watch(value, labelValue)
}
