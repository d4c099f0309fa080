package session

import (
	"context"
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
	m.heldMu.Lock()
	defer m.heldMu.Unlock()
	if held := m.held.Hold(strings.Join(argv, " "), found, o, time.Now()); held != nil {
		held.Hide(m.Hide)
		return held
	}
	return nil
}

// HeldStart reports whether ref names a start that waits to be confirmed.
func (m *Manager) HeldStart(ref string) bool {
	m.heldMu.Lock()
	defer m.heldMu.Unlock()
	return m.held.Has(ref, time.Now())
}

// ConfirmStart starts what was held under ref, once. line must be its command and
// arguments, joined by blanks. With person it is a person who allows it. The error wraps
// ErrNotConfirmed when it is not what was held, a person is needed, or the start has
// been forgotten.
func (m *Manager) ConfirmStart(ctx context.Context, ref, line string, person bool) (*Session, error) {
	m.heldMu.Lock()
	o, err := m.held.Take(ref, line, person, m.Hide, time.Now())
	m.heldMu.Unlock()
	if err != nil {
		return nil, err
	}
	o.Confirmed = true
	return m.Start(ctx, o)
}

// RefuseStart drops what was held under ref for a person. From then on only a person can
// allow it.
func (m *Manager) RefuseStart(p Person, ref, line string) error {
	m.heldMu.Lock()
	defer m.heldMu.Unlock()
	return m.held.Refuse(p.String(), ref, line, m.Hide, time.Now())
}
