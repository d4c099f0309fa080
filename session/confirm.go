package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session/command"
	"github.com/glasstty/glasstty/session/guard"
)

// HeldError is returned when the danger check holds an input or a start.
type HeldError = guard.HeldError

// heldChangedLocked counts a change of the held inputs, sends it to the next server, and wakes all waiting calls.
func (s *Session) heldChangedLocked() {
	s.guard.changes++
	s.keepLocked()
	s.notifyLocked()
}

// CheckConfirm returns an error if text confirms no held input, or if only a person may confirm the input.
func (s *Session) CheckConfirm(text string, person bool) error {
	if s.m.opt.Danger == nil {
		return fmt.Errorf("%w: there is no danger check, so nothing is held; type it with send_and_read", ErrNotConfirmed)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.guard.Confirmable(text, person, s.m.Hide, time.Now())
	return err
}

// Confirm removes and returns the held input that text confirms. text is the input's text, or the line that
// the input would submit. person says that a person confirms; this is necessary if a person has refused the
// input before. The error wraps ErrNotConfirmed if no such input is held, a person is needed, or the
// program asks for a password.
func (s *Session) Confirm(text string, person bool) (Confirmed, error) {
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready.AsksPassword(tty) { // the held line would answer the password prompt
		return Confirmed{}, fmt.Errorf("%w: the program asks for a password; answer that first, then confirm what is held", ErrNotConfirmed)
	}
	h, err := s.guard.Take(text, person, s.m.Hide, time.Now())
	if err != nil {
		return Confirmed{}, err
	}
	s.heldChangedLocked()
	return Confirmed{s, entry{Input: h.Input, held: &h}}, nil
}

// A Confirmed is a held input that was confirmed. Call one of its methods, once, to type the input. Their
// error wraps ErrNotConfirmed if the input may now have another effect than when it was held.
type Confirmed struct {
	s  *Session
	in entry
}

// Exchange types the input and waits, as Session.Exchange does.
func (c Confirmed) Exchange(ctx context.Context, w Wait, progress func(time.Duration, string)) (*Reply, error) {
	return c.s.exchange(ctx, c.in, w, progress)
}

// Type types the input without waiting, as Session.Type does.
func (c Confirmed) Type(ctx context.Context) (int, error) { return c.s.typeNow(ctx, c.in) }

// A Question describes an input that the danger check holds. Its Text is the argument of Approve
// and Refuse.
type Question = guard.Question

// Held returns a Question for each input that waits for confirmation and has not expired, oldest first.
func (s *Session) Held() []Question {
	s.mu.Lock()
	pending := s.guard.Pending
	s.mu.Unlock()
	return pending.Questions(s.m.Hide, time.Now())
}

// checkDanger returns a HeldError if starting the program would be dangerous, or if a person has refused
// such a start. It keeps the start for ConfirmStart.
func (m *Manager) checkDanger(o StartOptions) error {
	if m.opt.Danger == nil || o.Confirmed {
		return nil
	}
	argv := append([]string{o.Command}, o.Args...)
	place := danger.Place{Dir: o.Dir, Home: command.Home(o.Env)}
	found := append(m.opt.Danger.CheckCommand(argv, place), m.opt.Danger.CheckEnvironment(o.Env, place)...)
	m.heldMu.Lock()
	defer m.heldMu.Unlock()
	if held := m.held.Hold(strings.Join(argv, " "), found, o, time.Now()); held != nil {
		held.Hide(m.Hide)
		return held
	}
	return nil
}

// HeldStart reports whether ref names a start that waits for confirmation.
func (m *Manager) HeldStart(ref string) bool {
	m.heldMu.Lock()
	defer m.heldMu.Unlock()
	return m.held.Has(ref, time.Now())
}

// ConfirmStart starts, once, the program whose start is held under ref. line must be the command and its
// arguments, joined by blanks. person says that a person confirms. The error wraps ErrNotConfirmed if line
// does not match, only a person may confirm the start, or the start has expired.
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

// RefuseStart removes the start that is held under ref, because a person refuses it. From then on only a
// person can allow such a start. The error wraps ErrNotConfirmed.
func (m *Manager) RefuseStart(p Person, ref, line string) error {
	m.heldMu.Lock()
	defer m.heldMu.Unlock()
	return m.held.Refuse(p.String(), ref, line, m.Hide, time.Now())
}
