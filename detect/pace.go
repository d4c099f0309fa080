package detect

import (
	"time"
)

// Limits on adaptive pauses, and other constants of Pace.
const (
	minSettle = 200 * time.Millisecond
	maxSettle = 2 * time.Second
	// burstGap is the longest gap inside one burst of output, such as a frame.
	burstGap = 15 * time.Millisecond
	// Limits on Rhythm.Redraw, and the longest gap that may be inside a redraw.
	minRedraw = 30 * time.Millisecond
	maxRedraw = 150 * time.Millisecond
	redrawGap = 100 * time.Millisecond
	// minPeriods is the number of similar periods that count as regular intervals.
	minPeriods = 4
	// slack is the maximum difference between the periods, as a fraction of the longest.
	slack = 0.35
	// maxPeriod is the longest period of repaints at regular intervals.
	maxPeriod = 1200 * time.Millisecond
)

// A Pace measures the gaps between a child's writes. From them it derives how long a
// pause must be to count as the end of an answer, and whether the child repaints at
// regular intervals. The zero value is ready to use. It can be encoded as JSON. It is not
// safe for concurrent use.
type Pace struct {
	Last   time.Time                 `json:"last"`   // last output since the input, or zero
	Gap    time.Duration             `json:"gap"`    // decaying maximum of the gaps after which an answer added a line
	Redraw time.Duration             `json:"redraw"` // decaying maximum of the gaps of at most redrawGap that added no line
	Starts [minPeriods + 1]time.Time `json:"starts"` // of the latest bursts, oldest first
	Bursts int                       `json:"bursts"` // number of bursts since the input or the last new line
	Line   int64                     `json:"line"`   // number of the last line of text during these bursts
}

// Input records input. The measurement starts over, because the gap before the answer is
// not a gap inside it.
func (p *Pace) Input(now time.Time) {
	p.Last = time.Time{}
	p.Bursts = 0
}

// Output records output. line is the number of the last line after it. Only writes that
// add no line count as repaints.
func (p *Pace) Output(now time.Time, line int64) {
	gap := now.Sub(p.Last)
	first := p.Last.IsZero()
	p.Last = now
	if !first && gap <= burstGap {
		return
	}
	if !first && line != p.Line {
		// Only gaps before new text count. Gaps between repaints do not show where an answer ends.
		p.Gap = max(gap, p.Gap-p.Gap/8)
		p.Gap = min(p.Gap, maxSettle)
	}
	if !first && line == p.Line && gap <= redrawGap {
		p.Redraw = max(gap, p.Redraw-p.Redraw/8)
	}
	if line != p.Line {
		p.Bursts, p.Line = 0, line
	}
	copy(p.Starts[:], p.Starts[1:])
	p.Starts[minPeriods] = now
	p.Bursts++
}

// Rhythm returns the Rhythm at the time now.
func (p *Pace) Rhythm(now time.Time) Rhythm {
	r := Rhythm{
		Settle: min(max(minSettle, 3*p.Gap), maxSettle),
		Redraw: min(max(minRedraw, 3*p.Redraw/2), maxRedraw),
	}
	if p.Bursts <= minPeriods {
		return r
	}
	var least, most time.Duration
	for i := range minPeriods {
		d := p.Starts[i+1].Sub(p.Starts[i])
		if i == 0 || d < least {
			least = d
		}
		most = max(most, d)
	}
	steady := most <= maxPeriod && float64(most-least) <= slack*float64(most)
	r.Periodic = steady && now.Sub(p.Last) >= min(burstGap, least/4)
	return r
}
