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

// The kinds of families.
const (
	gauge   = "gauge"
	counter = "counter"
)

// A tally holds the metrics of a server. Its handler writes them in the text format 0.0.4 of
// Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). It replaces the
// Prometheus client library, which would add eight modules and 2 MB. It is safe for concurrent
// use once all families are added.
type tally struct {
	families                             []*family
	waiting, refused, calls, callSeconds *family
}

// A family contains the series of one metric. It is safe for concurrent use.
type family struct {
	name, kind, help string
	labels           []string
	read             func() map[string]float64 // returns the values now; nil for a family that is counted

	mu     sync.Mutex         // guards series
	series map[string]float64 // by label values, joined with NUL
}

// add adds a family that is counted.
func (t *tally) add(name, kind, help string, labels ...string) *family {
	f := &family{name: name, kind: kind, help: help, labels: labels, series: map[string]float64{}}
	t.families = append(t.families, f)
	return f
}

// count adds n to the series with these label values.
func (f *family) count(n float64, values ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.series[strings.Join(values, "\x00")] += n
}

// values returns the values of the series.
func (f *family) values() map[string]float64 {
	if f.read != nil {
		return f.read()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.series)
}

// ServeHTTP writes all families.
func (t *tally) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var b bytes.Buffer
	for _, f := range t.families {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
		values := f.values()
		for _, key := range slices.Sorted(maps.Keys(values)) {
			b.WriteString(f.name)
			for i, value := range strings.Split(key, "\x00")[:len(f.labels)] {
				fmt.Fprintf(&b, "%c%s=%q", "{,"[min(i, 1)], f.labels[i], value)
			}
			if len(f.labels) > 0 {
				b.WriteByte('}')
			}
			fmt.Fprintf(&b, " %s\n", strconv.FormatFloat(values[key], 'g', -1, 64))
		}
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // the client may have disconnected
}

// newTally returns a tally that is all zero.
func newTally() *tally {
	t := &tally{}
	t.waiting = t.add("glasstty_calls_waiting", gauge, "Tool calls under way.")
	t.refused = t.add("glasstty_refused_total", counter, "Requests and connections refused, by reason.", "reason")
	t.calls = t.add("glasstty_calls_total", counter, "Tool calls, by tool and outcome.", "outcome", "tool")
	t.callSeconds = t.add("glasstty_call_seconds_total", counter, "Total duration of tool calls, waiting included.", "tool")
	t.waiting.count(0)
	for _, reason := range []string{refusedHost, refusedOrigin, refusedToken, refusedUser, refusedScope, refusedRate,
		refusedConns, refusedBody, refusedCalls, refusedClients, refusedStop} {
		t.refused.count(0, reason) // every series exists from the start
	}
	return t
}

// Gauge adds a gauge named glasstty_NAME to /metrics, before Serve. values returns the values of
// the gauge by those of its label, and may be called at any time.
func (s *Server) Gauge(name, help, label string, values func() map[string]float64) {
	s.metrics.add("glasstty_"+name, gauge, help, label).read = values
}

// length adds a gauge without a label, whose value n returns.
func (t *tally) length(name, help string, n func() int) {
	t.add(name, gauge, help).read = func() map[string]float64 { return map[string]float64{"": float64(n())} }
}
