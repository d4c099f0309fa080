package guard

import (
	"fmt"
	"slices"
	"time"

	"github.com/glasstty/glasstty/internal/danger"
)

// Starts holds the starts of programs that wait for confirmation, and the refusals of starts. A value of
// type S has the options for starting a program.
type Starts[S any] struct {
	held    []start[S]
	last    int // the number in the id of the latest held start
	refused []Refusal
}

// A start is the start of a program that waits for confirmation.
type start[S any] struct {
	HeldError
	options      S
	until        time.Time
	fingerprints []string // see Refusal
}

// Hold holds a start and returns an error that says so. If there are no findings, and no person has
// refused such a start, the program may be started, and Hold returns nil. line is the command and its
// arguments, joined by blanks.
func (p *Starts[S]) Hold(line string, found []danger.Finding, options S, now time.Time) *HeldError {
	fingerprints := []string{normalized(line)}
	refused := latestRefusal(p.refused, fingerprints)
	if len(found) == 0 && refused == nil {
		return nil
	}
	p.last++
	held := HeldError{Session: fmt.Sprintf("held%d", p.last%1000), Input: line, Line: line, Findings: found, Start: true, Refused: refused.String()}
	p.held = append(p.held[max(0, len(p.held)+1-MaxHeld):], start[S]{held, options, now.Add(HeldFor), fingerprints})
	return &held
}

// index returns the index of the start that is held under an id, or -1.
func (p *Starts[S]) index(id string, now time.Time) int {
	return slices.IndexFunc(p.held, func(h start[S]) bool { return h.Session == id && now.Before(h.until) })
}

// Has reports whether a start is held under an id.
func (p *Starts[S]) Has(id string, now time.Time) bool { return p.index(id, now) >= 0 }

// take removes the start that is held under an id, and returns it. line must be the start's line. If a
// person has refused the start, only a person may take it, which withdraws the refusal.
func (p *Starts[S]) take(id, line string, person bool, hide func(string) string, now time.Time) (start[S], error) {
	i := p.index(id, now)
	if i < 0 {
		return start[S]{}, fmt.Errorf("%w: no start is held as %q", ErrNotConfirmed, id)
	}
	h := p.held[i]
	switch {
	case h.Line != line && hide(h.Line) != line:
		return h, fmt.Errorf("%w: the held start is %q, not %q", ErrNotConfirmed, Clip(hide(h.Line)), Clip(line))
	case h.Refused != "" && !person:
		return h, fmt.Errorf("%w: %s, and only a person can allow it now", ErrNotConfirmed, h.Refused)
	}
	p.held = slices.Delete(p.held, i, i+1)
	p.refused = withdraw(p.refused, h.fingerprints)
	return h, nil
}

// Take removes the start that is held under an id, and returns its options. line must be the start's
// line. person says that a person confirms the start. The error wraps ErrNotConfirmed.
func (p *Starts[S]) Take(id, line string, person bool, hide func(string) string, now time.Time) (S, error) {
	h, err := p.take(id, line, person, hide, now)
	return h.options, err
}

// Refuse removes the start that is held under an id. From then on, only a person can allow such a start.
// line must be the start's line. The error wraps ErrNotConfirmed.
func (p *Starts[S]) Refuse(by, id, line string, hide func(string) string, now time.Time) error {
	h, err := p.take(id, line, true, hide, now)
	if err == nil {
		p.refused = addRefusal(p.refused, by, h.fingerprints, now)
	}
	return err
}
