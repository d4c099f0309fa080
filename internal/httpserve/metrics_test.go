package httpserve

import (
	"net/http/httptest"
	"testing"
)

// textOf returns the text of /metrics.
func textOf(m *metrics) string {
	w := httptest.NewRecorder()
	m.ServeHTTP(w, nil)
	return w.Body.String()
}

// TestExposition checks the text format of all kinds of metric families.
func TestExposition(t *testing.T) {
	m := &metrics{counts: map[string]float64{}, families: []family{{"calls_total", "counter", "Calls.", nil}, {"quoted", "counter", "Quoted.", nil}, {"open", "gauge", "Open.", nil}}}
	m.count(1, "calls_total{outcome=%q,tool=%q}", "ok", "b")
	m.count(2.25, "calls_total{outcome=%q,tool=%q}", "ok", "a")
	m.count(1, "calls_total{outcome=%q,tool=%q}", "ok", "b")
	m.count(1, "quoted{text=%q}", "a \"quoted\"\nvalue")
	m.count(3, "open")
	m.count(-1, "open")
	s := &Server{metrics: m}
	s.Gauge("sessions", "Sessions.", func() map[string]float64 {
		return map[string]float64{`{status="b"}`: 1.5e9, `{status="a"}`: 0}
	})
	s.Gauge("conns", "Connections.", unlabelled(func() int { return 9 }))
	const want = `# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{outcome="ok",tool="a"} 2.25
calls_total{outcome="ok",tool="b"} 2
# HELP quoted Quoted.
# TYPE quoted counter
quoted{text="a \"quoted\"\nvalue"} 1
# HELP open Open.
# TYPE open gauge
open 2
# HELP glasstty_sessions Sessions.
# TYPE glasstty_sessions gauge
glasstty_sessions{status="a"} 0
glasstty_sessions{status="b"} 1.5e+09
# HELP glasstty_conns Connections.
# TYPE glasstty_conns gauge
glasstty_conns 9
`
	if got := textOf(m); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
