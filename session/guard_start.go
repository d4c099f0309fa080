package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session/guard"
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
	line := strings.Join(argv, " ")
	marks := []string{guard.Plain(line)}
	m.heldMu.Lock()
	defer m.heldMu.Unlock()
	refused := guard.RefusedBefore(m.refused, marks)
	if len(found) == 0 && refused == nil {
		return nil
	}
	m.heldNext++
	h := heldStart{id: fmt.Sprintf("held%d", m.heldNext%1000), line: line, opt: o, until: time.Now().Add(guard.HeldFor), marks: marks}
	if refused != nil {
		h.refused = refused.String()
	}
	m.heldStarts = append(m.heldStarts[max(0, len(m.heldStarts)+1-guard.MaxHeld):], h)
	return m.hideHeld(&HeldError{Session: h.id, Input: line, Line: line, Findings: found, Start: true, Refused: h.refused})
}

// A heldStart is a start that waits to be confirmed.
type heldStart struct {
	id, line string
	opt      StartOptions
	until    time.Time
	marks    []string // by which it is known again
	refused  string   // who has refused it before, and when
}

// HeldStart reports whether ref names a start that waits to be confirmed.
func (m *Manager) HeldStart(ref string) bool {
	m.heldMu.Lock()
	defer m.heldMu.Unlock()
	return slices.ContainsFunc(m.heldStarts, func(h heldStart) bool { return h.id == ref && time.Now().Before(h.until) })
}

// ConfirmStart starts what was held under ref, once. line must be its command and
// arguments, joined by blanks. With person it is a person who allows it. The error wraps
// ErrNotConfirmed when it is not what was held, a person is needed, or the start has
// been forgotten.
func (m *Manager) ConfirmStart(ctx context.Context, ref, line string, person bool) (*Session, error) {
	h, err := m.popStart(ref, line, person)
	if err != nil {
		return nil, err
	}
	h.opt.Confirmed = true
	return m.Start(ctx, h.opt)
}

// RefuseStart drops what was held under ref for a person. From then on only a person can
// allow it.
func (m *Manager) RefuseStart(p Person, ref, line string) error {
	h, err := m.popStart(ref, line, true)
	if err != nil {
		return err
	}
	m.heldMu.Lock()
	defer m.heldMu.Unlock()
	m.refused = guard.Refuse(m.refused, p.String(), h.marks, time.Now())
	return nil
}

// popStart takes a start out of what is held. A person takes its refusal back.
func (m *Manager) popStart(ref, line string, person bool) (heldStart, error) {
	m.heldMu.Lock()
	defer m.heldMu.Unlock()
	i := slices.IndexFunc(m.heldStarts, func(h heldStart) bool { return h.id == ref && time.Now().Before(h.until) })
	if i < 0 {
		return heldStart{}, fmt.Errorf("%w: no start is held as %q", ErrNotConfirmed, ref)
	}
	h := m.heldStarts[i]
	switch {
	case h.line != line && m.Hide(h.line) != line:
		return h, fmt.Errorf("%w: held is %q, not %q", ErrNotConfirmed, guard.Clip(m.Hide(h.line)), guard.Clip(line))
	case h.refused != "" && !person:
		return h, fmt.Errorf("%w: %s, and only a person can allow it now", ErrNotConfirmed, h.refused)
	}
	m.heldStarts = slices.Delete(m.heldStarts, i, i+1)
	m.refused = guard.TakeBack(m.refused, h.marks)
	return h, nil
}
