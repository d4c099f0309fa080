package httpserve

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// textOf returns the text of /metrics.
func textOf(x *exposition) string {
	w := httptest.NewRecorder()
	x.ServeHTTP(w, nil)
	return w.Body.String()
}

// TestExposition checks the text format of all kinds of metric families.
func TestExposition(t *testing.T) {
	var x exposition
	calls := x.add("calls_total", counter, "Calls.", "outcome", "tool")
	calls.count(1, "ok", "b")
	calls.count(2, "ok", "a")
	calls.count(1, "ok", "b")
	open := x.add("open", gauge, "Open.")
	open.count(3)
	open.count(-1)
	x.add("sessions", gauge, "Sessions.", "status").read = func() map[string]float64 {
		return map[string]float64{"a \"quoted\"\nvalue": 1.5e9, "z": 0}
	}
	x.show("seconds_total", counter, "Time.", func() float64 { return 9.75 })
	const want = `# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{outcome="ok",tool="a"} 2
calls_total{outcome="ok",tool="b"} 2
# HELP open Open.
# TYPE open gauge
open 2
# HELP sessions Sessions.
# TYPE sessions gauge
sessions{status="a \"quoted\"\nvalue"} 1.5e+09
sessions{status="z"} 0
# HELP seconds_total Time.
# TYPE seconds_total counter
seconds_total 9.75
`
	if got := textOf(&x); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestProcessMetrics checks that each metric of the process has a positive value.
func TestProcessMetrics(t *testing.T) {
	text := textOf(&newTally().exposition)
	for _, name := range []string{"go_goroutines", "go_memstats_alloc_bytes", "process_cpu_seconds_total",
		"process_open_fds", "process_resident_memory_bytes", "process_start_time_seconds"} {
		if _, value, ok := strings.Cut(text, "\n"+name+" "); !ok || strings.HasPrefix(value, "-") || strings.HasPrefix(value, "0\n") {
			t.Errorf("%s: %.20q in:\n%s", name, value, text)
		}
	}
}
