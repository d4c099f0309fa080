package live

import (
	"github.com/glasstty/glasstty/internal/audit"
)

// actor returns v as an actor for the audit log.
func (v Visitor) actor() audit.Actor {
	return audit.Actor{Via: v.Via, Who: v.Person.String(), From: v.From, Conn: v.Person.ID}
}

// actLogged writes a record to the audit log and runs a request with act. If the record cannot be
// written, it does not run the request. If the request fails, it writes another record. For requests that
// type, the session writes the first record. Requests to watch are not recorded.
func (c *conn) actLogged(r *request) error {
	log := c.srv.opt.Audit
	entry := audit.Record{Event: "person", Tool: r.Do, Session: r.ID, Actor: c.visitor.actor()}
	switch r.Do {
	case "watch":
		return c.act(r)
	case "type", "paste", "mouse", "secret":
		err := c.act(r)
		if err != nil {
			entry.Verdict, entry.Why = "refused", err.Error()
			_, _ = log.Write(c.ctx, entry) // the request's error is reported, not this one
		}
		return err
	case "approve", "refuse":
		entry.SetInput(r.Text, false) // the held input
	case "resize":
		entry.Args = map[string]any{"rows": r.Rows, "cols": r.Cols}
	default:
		entry.Args = map[string]any{"force": r.Force, "note": r.Text}
	}
	if s, err := c.srv.opt.Manager.Session(r.ID); err == nil {
		entry.Session = s.ID()
	}
	seq, err := log.Write(c.ctx, entry)
	if err != nil {
		return err
	}
	if err = c.act(r); err != nil {
		done := audit.Record{Event: "person.done", Tool: r.Do, Session: entry.Session, Actor: entry.Actor, Verdict: "refused", Why: err.Error()}
		done.Call = seq
		_, _ = log.Write(c.ctx, done)
	}
	return err
}
