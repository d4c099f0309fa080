package httpserve

import (
	"net/http/httptest"
	"testing"
)

// textOf returns the text of /metrics.
func textOf(x *tally) string {
	w := httptest.NewRecorder()
	x.ServeHTTP(w, nil)
	return w.Body.String()
}

// TestExposition checks the text format of all kinds of metric families.
func TestExposition(t *testing.T) {
	var x tally
	calls := x.add("calls_total", counter, "Calls.", "outcome", "tool")
	calls.count(1, "ok", "b")
	calls.count(2.25, "ok", "a")
	calls.count(1, "ok", "b")
	open := x.add("open", gauge, "Open.")
	open.count(3)
	open.count(-1)
	x.add("sessions", gauge, "Sessions.", "status").read = func() map[string]float64 {
		return map[string]float64{"a \"quoted\"\nvalue": 1.5e9, "z": 0}
	}
	x.length("conns", "Connections.", func() int { return 9 })
	const want = `# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{outcome="ok",tool="a"} 2.25
calls_total{outcome="ok",tool="b"} 2
# HELP open Open.
# TYPE open gauge
open 2
# HELP sessions Sessions.
# TYPE sessions gauge
sessions{status="a \"quoted\"\nvalue"} 1.5e+09
sessions{status="z"} 0
# HELP conns Connections.
# TYPE conns gauge
conns 9
`
	if got := textOf(&x); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
