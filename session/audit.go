package session

import (
	"context"
	"maps"
	"slices"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/audit"
)

// What happens to sessions, as the audit log has it.
const (
	auditStart = "session.start"
	auditInput = "input"
	auditExit  = "session.exit"
)

// auditStart writes that a program is about to be started. An error stops it.
func (m *Manager) auditStart(ctx context.Context, id, file string, o StartOptions, boxed bool) error {
	if m.opt.Audit == nil {
		return nil
	}
	r := audit.Record{Event: auditStart, Session: id, Program: file, Argv: append([]string{o.Command}, o.Args...), Dir: o.Dir}
	if o.Confirmed {
		r.Verdict = "confirmed"
	}
	r.Args = map[string]any{"sandbox": boxed}
	if len(o.Env) > 0 {
		r.Args["env"] = slices.Sorted(maps.Keys(o.Env)) // their values may be secret
	}
	_, err := m.opt.Audit.Write(ctx, r)
	return err
}

// auditInput writes what is about to be typed. An error stops it.
func (s *Session) auditInput(ctx context.Context, in Input, call *typing) error {
	if s.m.opt.Audit == nil || in.by != nil && in.onlyMoves() {
		return nil
	}
	s.mu.Lock()
	secret := call.secret || s.view.asked && s.secretInsideLocked()
	s.mu.Unlock()
	r := audit.Record{Event: auditInput, Session: s.id}
	r.Typed(string(call.data), secret)
	if in.confirmed {
		r.Verdict = "confirmed"
	}
	_, err := s.m.opt.Audit.Write(ctx, r)
	return err
}

// onlyMoves reports whether in does nothing but move the mouse.
func (in Input) onlyMoves() bool {
	return len(in.Mouse) > 0 && !slices.ContainsFunc(in.Mouse, func(e emulator.Mouse) bool { return e.Action != emulator.MouseMove })
}

// auditExit writes that the child has ended, unless another server goes on with
// it.
func (s *Session) auditExit() {
	s.mu.Lock()
	r := audit.Record{Event: auditExit, Session: s.id, Exit: &s.exitCode}
	if s.status == StatusLost {
		r.Exit, r.Why = nil, "how it ended is not known"
	}
	left := s.left
	s.mu.Unlock()
	if left {
		return
	}
	// It has happened, whether it can be written or not.
	_, _ = s.m.opt.Audit.Write(context.Background(), r)
}
