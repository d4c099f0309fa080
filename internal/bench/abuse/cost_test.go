package abuse

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/allowlist"
	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/child"
)

// BenchmarkGuard measures what the danger check, the lists and the limits cost on an
// exchange with bash: calls with everything on and everything off take turns, and the
// medians of both are reported.
func BenchmarkGuard(b *testing.B) {
	list, err := allowlist.New([]string{"bash"}, []string{"dd"}, []string{"/"})
	if err != nil {
		b.Fatal(err)
	}
	var sessions [2]*session.Session
	limits := session.Limits{Idle: time.Hour, Lifetime: 24 * time.Hour, Tree: child.Limits{Processes: 1000, Memory: 8 << 30, CPU: time.Hour}}
	for i, o := range []session.Options{
		{Limits: session.Limits{InputRate: -1}},
		{Danger: danger.New(danger.Rules{}), Programs: list, Limits: limits},
	} {
		mgr := session.NewManager(o)
		b.Cleanup(func() {
			if err := mgr.Close(); err != nil {
				b.Error(err)
			}
		})
		s, err := mgr.Start(b.Context(), session.StartOptions{Command: need.Program(b, "bash"), Args: []string{"--norc"}, Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		sessions[i] = s
		exchange(b, s, session.Input{})
	}
	var took [2][]time.Duration
	for b.Loop() {
		for i, s := range sessions {
			start := time.Now()
			exchange(b, s, session.Input{Text: "for f in a b; do echo \"$f: $(dirname /tmp/x)\"; done | sort -r", Enter: true})
			took[i] = append(took[i], time.Since(start))
		}
	}
	off, on := median(took[0]), median(took[1])
	b.ReportMetric(float64(off.Microseconds()), "off-µs")
	b.ReportMetric(float64(on.Microseconds()), "on-µs")
	b.ReportMetric(100*float64(on-off)/float64(off), "cost-%")
}

// exchange types and waits for the prompt.
func exchange(b *testing.B, s *session.Session, in session.Input) {
	ctx, cancel := context.WithTimeout(b.Context(), 20*time.Second)
	defer cancel()
	if _, err := s.Exchange(ctx, in, session.Wait{Timeout: 20 * time.Second}, nil); err != nil {
		b.Fatal(err)
	}
}

// median returns the middle of some durations.
func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
