package httpserve

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// The outcomes of a tool call, as /metrics counts them.
const (
	outcomeOK        = "ok"
	outcomeError     = "error"     // the tool says so
	outcomeRefused   = "refused"   // not allowed, or too many
	outcomeCancelled = "cancelled" // by the client, or by its end
	outcomeProtocol  = "protocol"  // no such tool, bad request
)

// otherTool stands for tools that do not exist: a client must not be able to
// make series.
const otherTool = "other"

// metrics are what /metrics shows, in a registry of its own.
type metrics struct {
	registry *prometheus.Registry
	conns    prometheus.Gauge
	clients  prometheus.Gauge
	waiting  prometheus.Gauge
	bytesIn  prometheus.Counter
	bytesOut prometheus.Counter
	refused  *prometheus.CounterVec
	calls    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

// newMetrics returns metrics that are all zero.
func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		conns:    gauge("connections", "Connections that are open."),
		clients:  gauge("clients", "MCP sessions that are open."),
		waiting:  gauge("calls_waiting", "Tool calls under way."),
		bytesIn:  counter("received_bytes_total", "Bytes of request bodies."),
		bytesOut: counter("sent_bytes_total", "Bytes of answers."),
		refused:  counters("refused_total", "Requests and connections refused, by reason.", "reason"),
		calls:    counters("calls_total", "Tool calls, by tool and outcome.", "tool", "outcome"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "glasstty",
			Name:      "call_seconds",
			Help:      "How long tool calls take, waiting included.",
			Buckets:   []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 600},
		}, []string{"tool"}),
	}
	for _, reason := range []string{refusedHost, refusedOrigin, refusedToken, refusedUser, refusedScope, refusedRate,
		refusedConns, refusedBody, refusedCalls, refusedClients, refusedStop} {
		m.refused.WithLabelValues(reason) // so that each is there from the start
	}
	m.registry.MustRegister(m.conns, m.clients, m.waiting, m.bytesIn, m.bytesOut, m.refused, m.calls, m.seconds,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func gauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "glasstty", Name: name, Help: help})
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "glasstty", Name: name, Help: help})
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "glasstty", Name: name, Help: help}, labels)
}

// handler answers /metrics.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Gauge adds a gauge named glasstty_NAME to /metrics, with one constant label,
// which may be empty. It is read by value, at any time.
func (s *Server) Gauge(name, help, label, is string, value func() float64) {
	opts := prometheus.GaugeOpts{Namespace: "glasstty", Name: name, Help: help}
	if label != "" {
		opts.ConstLabels = prometheus.Labels{label: is}
	}
	s.metrics.registry.MustRegister(prometheus.NewGaugeFunc(opts, value))
}
