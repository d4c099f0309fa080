package session

import (
	"context"
	"maps"
	"slices"

	"github.com/glasstty/glasstty/internal/audit"
)

// The names of session events in the audit log.
const (
	eventStart = "session.start"
	eventInput = "input"
	eventExit  = "session.exit"
)

// auditStart records that a program is about to be started. If it returns an error, the
// program must not be started.
func (m *Manager) auditStart(ctx context.Context, id, file string, o StartOptions, boxed bool) error {
	if m.opt.Audit == nil {
		return nil
	}
	r := audit.Record{Event: eventStart, Session: id, Program: file, Argv: append([]string{o.Command}, o.Args...), Dir: o.Dir}
	if o.Confirmed {
		r.Verdict = "confirmed"
	}
	r.Args = map[string]any{"sandbox": boxed}
	if len(o.Env) > 0 {
		r.Args["env"] = slices.Sorted(maps.Keys(o.Env)) // only the names: the values may be secret
	}
	_, err := m.opt.Audit.Write(ctx, r)
	return err
}

// auditExit records how a session has ended, unless another server takes the session over.
func (m *Manager) auditExit(id string, end ending) {
	if end.left {
		return
	}
	r := audit.Record{Event: eventExit, Session: id, Exit: &end.code}
	if end.status == StatusLost {
		r.Exit, r.Why = nil, "how it ended is not known"
	}
	// The program has ended even if its exit cannot be recorded.
	_, _ = m.opt.Audit.Write(context.Background(), r)
}
