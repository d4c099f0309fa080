package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/danger"
)

// checkDanger returns a HeldError when starting the program would be dangerous, and
// keeps it for ConfirmStart.
func (m *Manager) checkDanger(o StartOptions) error {
	if m.opt.Danger == nil || o.Confirmed {
		return nil
	}
	argv := append([]string{o.Command}, o.Args...)
	place := danger.Place{Dir: o.Dir, Home: homeDirOf(o.Env)}
	found := append(m.opt.Danger.Command(argv, place), m.opt.Danger.Environment(o.Env, place)...)
	if len(found) == 0 {
		return nil
	}
	line := strings.Join(argv, " ")
	m.heldMu.Lock()
	defer m.heldMu.Unlock()
	m.heldNext++
	id := fmt.Sprintf("held%d", m.heldNext%1000)
	if len(m.heldStarts) == maxHeld {
		m.heldStarts = m.heldStarts[1:]
	}
	m.heldStarts = append(m.heldStarts, heldStart{id: id, line: line, opt: o, until: time.Now().Add(heldFor)})
	return m.hideHeld(&HeldError{Session: id, Input: line, Line: line, Findings: found, Start: true})
}

// A heldStart is a start that waits to be confirmed.
type heldStart struct {
	id, line string
	opt      StartOptions
	until    time.Time
}

// HeldStart reports whether ref names a start that waits to be confirmed.
func (m *Manager) HeldStart(ref string) bool {
	m.heldMu.Lock()
	defer m.heldMu.Unlock()
	return slices.ContainsFunc(m.heldStarts, func(h heldStart) bool { return h.id == ref && time.Now().Before(h.until) })
}

// ConfirmStart starts what was held under ref, once. line must be its command and
// arguments, joined by blanks. The error wraps ErrNotConfirmed when it is not, or
// the start has been forgotten.
func (m *Manager) ConfirmStart(ctx context.Context, ref, line string) (*Session, error) {
	m.heldMu.Lock()
	i := slices.IndexFunc(m.heldStarts, func(h heldStart) bool { return h.id == ref && time.Now().Before(h.until) })
	if i < 0 {
		m.heldMu.Unlock()
		return nil, fmt.Errorf("%w: no start is held as %q", ErrNotConfirmed, ref)
	}
	h := m.heldStarts[i]
	if h.line != line && m.Hide(h.line) != line {
		m.heldMu.Unlock()
		return nil, fmt.Errorf("%w: held is %q, not %q", ErrNotConfirmed, clipLine(m.Hide(h.line)), clipLine(line))
	}
	m.heldStarts = slices.Delete(m.heldStarts, i, i+1)
	m.heldMu.Unlock()
	h.opt.Confirmed = true
	return m.Start(ctx, h.opt)
}
