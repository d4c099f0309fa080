package httpserve

import (
	"strings"
	"testing"
)

// TestExposition compares all kinds of families with the text format.
func TestExposition(t *testing.T) {
	var x exposition
	calls := x.add("calls_total", counter, "Calls.", "outcome", "tool")
	calls.count(1, "ok", "b")
	calls.count(2, "ok", "a")
	calls.count(1, "ok", "b")
	open := x.add("open", gauge, "Open.")
	open.count(3)
	open.count(-1)
	x.add("sessions", gauge, "Sessions.", "status").watch(func() float64 { return 1.5e9 }, "a \"quoted\"\nvalue")
	x.add("sessions", gauge, "Sessions.", "status").watch(func() float64 { return 0 }, "z")
	seconds := x.add("seconds", histogram, "Time.", "tool")
	seconds.bounds = []float64{.5, 2}
	for _, v := range []float64{.25, .5, 1, 8} {
		seconds.observe(v, "a")
	}
	x.add("empty_total", counter, "Nothing yet.", "label")
	const want = `# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{outcome="ok",tool="a"} 2
calls_total{outcome="ok",tool="b"} 2
# HELP open Open.
# TYPE open gauge
open 2
# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{tool="a",le="0.5"} 2
seconds_bucket{tool="a",le="2"} 3
seconds_bucket{tool="a",le="+Inf"} 4
seconds_sum{tool="a"} 9.75
seconds_count{tool="a"} 4
# HELP sessions Sessions.
# TYPE sessions gauge
sessions{status="a \"quoted\"\nvalue"} 1.5e+09
sessions{status="z"} 0
`
	if got := string(x.text()); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestProcessMetrics wants a number of each of the process's families.
func TestProcessMetrics(t *testing.T) {
	m := newMetrics()
	text := string(m.text())
	for _, name := range []string{"go_goroutines", "go_memstats_alloc_bytes", "go_memstats_sys_bytes", "process_cpu_seconds_total",
		"process_max_fds", "process_open_fds", "process_resident_memory_bytes", "process_start_time_seconds"} {
		if _, value, ok := strings.Cut(text, "\n"+name+" "); !ok || strings.HasPrefix(value, "-") || strings.HasPrefix(value, "0\n") {
			t.Errorf("%s: %.20q in:\n%s", name, value, text)
		}
	}
}
