package detect

import (
	"time"
)

const (
	minSettle = 200 * time.Millisecond // the least Rhythm.Settle
	maxSettle = 2 * time.Second        // the greatest Rhythm.Settle
	// burstGap is the longest gap between two writes of one burst of output. A redraw may be one burst.
	burstGap  = 15 * time.Millisecond
	minRedraw = 30 * time.Millisecond  // the least Rhythm.Redraw
	maxRedraw = 150 * time.Millisecond // the greatest Rhythm.Redraw
	redrawGap = 100 * time.Millisecond // the longest gap between two bursts of one redraw
	// minPeriods is the number of similar times between bursts that count as regular intervals.
	minPeriods = 4
	// slack is the maximum difference between these times, as a fraction of the longest.
	slack = 0.35
	// maxPeriod is the maximum time between two redraws at regular intervals.
	maxPeriod = 1200 * time.Millisecond
)

// A Pace measures the gaps between a child's writes. From them it derives how long a pause must be
// to count as the end of an answer, and whether the child redraws at regular intervals. A redraw is
// output that adds no line. The zero value is ready to use. It can be encoded as JSON. It is not
// safe for concurrent use.
type Pace struct {
	Last   time.Time                 `json:"last"`   // last output since the input, or zero if there was none
	Gap    time.Duration             `json:"gap"`    // decaying maximum of gaps before bursts at another line
	Redraw time.Duration             `json:"redraw"` // decaying maximum of the other gaps up to redrawGap
	Starts [minPeriods + 1]time.Time `json:"starts"` // when the latest bursts began, oldest first
	Bursts int                       `json:"bursts"` // number of bursts since the input or since the line changed
	Line   int64                     `json:"line"`   // the text's last line when the latest burst began
}

// Input records input. The next output begins an answer, so the gap before that output is not measured.
func (p *Pace) Input(now time.Time) {
	p.Last = time.Time{}
	p.Bursts = 0
}

// Output records output. line is the number of the last line after it.
func (p *Pace) Output(now time.Time, line int64) {
	gap := now.Sub(p.Last)
	first := p.Last.IsZero()
	p.Last = now
	if !first && gap <= burstGap {
		return
	}
	if !first && line != p.Line {
		// Other gaps are those between redraws. They do not show where an answer ends.
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

// Rhythm returns the pauses that the gaps suggest, and whether the output at the time now is periodic.
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
