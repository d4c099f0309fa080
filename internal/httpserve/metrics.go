package httpserve

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The formats of the names of the counted series, with a verb for the value of each label.
const (
	callsWaiting = "glasstty_calls_waiting"
	refusals     = "glasstty_refused_total{reason=%q}"
	calls        = "glasstty_calls_total{outcome=%q,tool=%q}"
	callSeconds  = "glasstty_call_seconds_total{tool=%q}"
)

// The outcomes of a tool call in /metrics.
const (
	outcomeOK        = "ok"
	outcomeError     = "error"     // the tool's result is an error
	outcomeRefused   = "refused"   // not allowed, or too many calls
	outcomeCancelled = "cancelled" // the call's context has ended, for example because the client disconnected
	outcomeProtocol  = "protocol"  // no such tool, bad request
)

// otherTool is the label of all unknown tools, so that clients cannot create series by inventing names.
const otherTool = "other"

// metrics holds counters and gauges. Its handler writes them in the text format 0.0.4 of
// Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). The type replaces the
// Prometheus client library, which would add eight modules and 2 MB. It is safe for concurrent
// use once all gauges are added.
type metrics struct {
	families []family

	mu     sync.Mutex         // guards counts
	counts map[string]float64 // by series
}

// A family describes the series of one metric.
type family struct {
	name, kind, help string
	values           func() map[string]float64 // the current values by labels; nil if metrics.counts has the values
}

func newMetrics() *metrics {
	m := &metrics{counts: map[string]float64{}, families: []family{
		{callsWaiting, "gauge", "Tool calls under way.", nil},
		{"glasstty_refused_total", "counter", "Requests and connections refused, by reason.", nil},
		{"glasstty_calls_total", "counter", "Tool calls, by tool and outcome.", nil},
		{"glasstty_call_seconds_total", "counter", "Total duration of tool calls, waiting included.", nil},
	}}
	m.count(0, callsWaiting)
	for _, reason := range []string{refusedHost, refusedOrigin, refusedToken, refusedUser, refusedScope, refusedRate,
		refusedConns, refusedBody, refusedCalls, refusedClients, refusedStop} {
		m.count(0, refusals, reason) // every series exists from the start
	}
	return m
}

// count adds n to the series with these label values.
func (m *metrics) count(n float64, series string, labels ...any) {
	series = fmt.Sprintf(series, labels...)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[series] += n
}

func (m *metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	values := maps.Clone(m.counts)
	m.mu.Unlock()
	var b bytes.Buffer
	for _, f := range m.families {
		if f.values != nil {
			for labels, n := range f.values() {
				values[f.name+labels] = n
			}
		}
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
		for _, series := range slices.Sorted(maps.Keys(values)) {
			if name, _, _ := strings.Cut(series, "{"); name == f.name {
				fmt.Fprintf(&b, "%s %s\n", series, strconv.FormatFloat(values[series], 'g', -1, 64))
			}
		}
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // the client may have disconnected
}

// Gauge adds the gauge glasstty_NAME to /metrics. Call it before Serve. values returns the current
// values by their labels, such as {status="running"}, or "" for no labels. It must be safe for
// concurrent use.
func (s *Server) Gauge(name, help string, values func() map[string]float64) {
	s.metrics.families = append(s.metrics.families, family{"glasstty_" + name, "gauge", help, values})
}

// unlabelled returns a function for Gauge that returns n's result as the only value, without labels.
func unlabelled(n func() int) func() map[string]float64 {
	return func() map[string]float64 { return map[string]float64{"": float64(n())} }
}
