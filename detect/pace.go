package detect

import (
	"slices"
	"time"
)

// The bounds of an adaptive pause.
const (
	minSettle = 200 * time.Millisecond
	maxSettle = 2 * time.Second
	// burstGap is the longest gap inside one burst of output, such as a frame.
	burstGap = 15 * time.Millisecond
	// The bounds of the pause after which a full-screen program has redrawn, and
	// the longest gap that counts as one inside a redraw.
	minRedraw = 30 * time.Millisecond
	maxRedraw = 150 * time.Millisecond
	redrawGap = 100 * time.Millisecond
	// frames is how many equal periods make a rhythm.
	frames = 4
	// slack is how much a period may differ from its neighbours, as a fraction.
	slack = 0.35
	// maxPeriod is the longest period of a repaint that is waited for.
	maxPeriod = 1200 * time.Millisecond
)

// A Pace learns from the gaps between a child's writes how long a pause must be
// to mean the end, and whether the child repaints in a steady rhythm. Its zero
// value has seen nothing. It is not safe for concurrent use.
type Pace struct {
	last   time.Time
	gap    time.Duration // decaying maximum of the gaps inside answers
	redraw time.Duration // decaying maximum of the gaps inside redraws
	starts [frames + 1]time.Time
	n      int   // bursts seen since the input
	line   int64 // the transcript's last line when the rhythm began
}

// A PaceState is what a Pace has seen, to be kept and seen again.
type PaceState struct {
	Last        time.Time
	Gap, Redraw time.Duration
	Starts      []time.Time
	N           int
	Line        int64
}

// State returns what p has seen, for Restore.
func (p *Pace) State() PaceState {
	return PaceState{p.last, p.gap, p.redraw, slices.Clone(p.starts[:]), p.n, p.line}
}

// Restore makes p what it was when State was called.
func (p *Pace) Restore(s PaceState) {
	*p = Pace{last: s.Last, gap: s.Gap, redraw: s.Redraw, n: s.N, line: s.Line}
	copy(p.starts[:], s.Starts)
}

// Input tells that someone typed: the gap before the answer is no gap inside
// it, and a rhythm begins anew.
func (p *Pace) Input(now time.Time) {
	p.last = time.Time{}
	p.n = 0
}

// Output tells that the child wrote; line is the transcript's last line after
// it. A rhythm counts only while no line is added: that is a repaint.
func (p *Pace) Output(now time.Time, line int64) {
	gap := now.Sub(p.last)
	first := p.last.IsZero()
	p.last = now
	if !first && gap <= burstGap {
		return
	}
	if !first && line != p.line {
		// A gap before new text: those between the frames of a repaint say
		// nothing of where an answer ends.
		p.gap = max(gap, p.gap-p.gap/8)
		p.gap = min(p.gap, maxSettle)
	}
	if !first && line == p.line && gap <= redrawGap {
		p.redraw = max(gap, p.redraw-p.redraw/8)
	}
	if line != p.line {
		p.n, p.line = 0, line
	}
	copy(p.starts[:], p.starts[1:])
	p.starts[frames] = now
	p.n++
}

// Rhythm returns what the gaps say at now.
func (p *Pace) Rhythm(now time.Time) Rhythm {
	r := Rhythm{
		Settle: min(max(minSettle, 3*p.gap), maxSettle),
		Redraw: min(max(minRedraw, 3*p.redraw/2), maxRedraw),
	}
	if p.n <= frames {
		return r
	}
	var least, most time.Duration
	for i := range frames {
		d := p.starts[i+1].Sub(p.starts[i])
		if i == 0 || d < least {
			least = d
		}
		most = max(most, d)
	}
	steady := most <= maxPeriod && float64(most-least) <= slack*float64(most)
	r.Periodic = steady && now.Sub(p.last) >= min(burstGap, least/4)
	return r
}
