package detect

import (
	"testing"
	"time"
)

func TestPaceSettle(t *testing.T) {
	ms := time.Millisecond
	tests := []struct {
		name string
		gaps []time.Duration
		want time.Duration
	}{
		{"nothing seen", nil, minSettle},
		{"a burst", []time.Duration{ms, ms, ms}, minSettle},
		{"pauses", []time.Duration{150 * ms, 120 * ms}, 450*ms - 3*(150*ms/8) - 0},
		{"a long pause", []time.Duration{10 * time.Second}, maxSettle},
	}
	for _, tt := range tests {
		var p Pace
		now := t0
		p.Input(now)
		for i, g := range append([]time.Duration{time.Second}, tt.gaps...) {
			if i == 0 && tt.gaps == nil {
				break
			}
			now = now.Add(g)
			p.Output(now, int64(i))
		}
		got := p.Rhythm(now).Settle
		if diff := got - tt.want; diff > ms || diff < -ms {
			t.Errorf("%s: settle %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestPaceRedraw checks that the pace learns from the gaps inside redraws, but
// neither from gaps before new text nor from long ones.
func TestPaceRedraw(t *testing.T) {
	ms := time.Millisecond
	tests := []struct {
		name  string
		gap   time.Duration
		lines bool
		want  time.Duration
	}{
		{"at once", 5 * ms, false, minRedraw},
		{"in steps", 60 * ms, false, 90 * ms},
		{"the longest that counts", redrawGap, false, maxRedraw},
		{"long ones", redrawGap + ms, false, minRedraw},
		{"before new text", 60 * ms, true, minRedraw},
	}
	for _, tt := range tests {
		var p Pace
		now := t0
		for i := range 4 {
			now = now.Add(tt.gap)
			line := int64(0)
			if tt.lines {
				line = int64(i)
			}
			p.Output(now, line)
		}
		if got := p.Rhythm(now).Redraw; got != tt.want {
			t.Errorf("%s: redraw %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestPacePeriodic(t *testing.T) {
	ms := time.Millisecond
	tests := []struct {
		name    string
		period  func(i int) time.Duration
		newLine bool
		want    bool
	}{
		{"a clock", func(int) time.Duration { return time.Second }, false, true},
		{"a spinner", func(int) time.Duration { return 80 * ms }, false, true},
		{"some jitter", func(i int) time.Duration { return (100 + time.Duration(i%2)*20) * ms }, false, true},
		{"a log", func(int) time.Duration { return 100 * ms }, true, false},
		{"no rhythm", func(i int) time.Duration { return time.Duration(50+i*i*60) * ms }, false, false},
		{"too slow", func(int) time.Duration { return 3 * time.Second }, false, false},
	}
	for _, tt := range tests {
		var p Pace
		now := t0
		for i := range 10 {
			now = now.Add(tt.period(i))
			line := int64(0)
			if tt.newLine {
				line = int64(i)
			}
			p.Output(now, line)
			p.Output(now.Add(2*ms), line) // the frame's second half
		}
		if got := p.Rhythm(now.Add(30 * ms)).Periodic; got != tt.want {
			t.Errorf("%s: periodic %v, want %v", tt.name, got, tt.want)
		}
		if p.Rhythm(now.Add(3 * ms)).Periodic {
			t.Errorf("%s: Periodic is true in the middle of a frame", tt.name)
		}
		p.Input(now.Add(40 * ms))
		if p.Rhythm(now.Add(50 * ms)).Periodic {
			t.Errorf("%s: Periodic is true after an input", tt.name)
		}
	}
}
