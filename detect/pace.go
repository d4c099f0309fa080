package detect

import (
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
	// frames is how many equal periods count as regular intervals.
	frames = 4
	// slack is how much a period may differ from its neighbours, as a fraction.
	slack = 0.35
	// maxPeriod is the longest period of a repaint that is waited for.
	maxPeriod = 1200 * time.Millisecond
)

// A Pace learns from the gaps between a child's writes how long a pause must be to count as
// the end, and whether the child repaints at regular intervals. Its zero value is ready. It
// can be encoded. It is not safe for concurrent use.
type Pace struct {
	Last   time.Time             `json:"last"`
	Gap    time.Duration         `json:"gap"`    // decaying maximum of the gaps inside answers
	Redraw time.Duration         `json:"redraw"` // decaying maximum of the gaps inside redraws
	Starts [frames + 1]time.Time `json:"starts"`
	Bursts int                   `json:"bursts"` // seen since the input
	Line   int64                 `json:"line"`   // the text's last line when the rhythm began
}

// Input records input. The gap before the answer is not a gap inside it, so the measurement
// starts over.
func (p *Pace) Input(now time.Time) {
	p.Last = time.Time{}
	p.Bursts = 0
}

// Output records output; line is the number of the last line after it. Only writes that add
// no line count as repaints.
func (p *Pace) Output(now time.Time, line int64) {
	gap := now.Sub(p.Last)
	first := p.Last.IsZero()
	p.Last = now
	if !first && gap <= burstGap {
		return
	}
	if !first && line != p.Line {
		// A gap before new text. Gaps between repaints do not show where an answer ends.
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
	p.Starts[frames] = now
	p.Bursts++
}

// Rhythm returns the Rhythm at now.
func (p *Pace) Rhythm(now time.Time) Rhythm {
	r := Rhythm{
		Settle: min(max(minSettle, 3*p.Gap), maxSettle),
		Redraw: min(max(minRedraw, 3*p.Redraw/2), maxRedraw),
	}
	if p.Bursts <= frames {
		return r
	}
	var least, most time.Duration
	for i := range frames {
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
