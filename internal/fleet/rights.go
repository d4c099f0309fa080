package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
)

// handleError handles an asynchronous error from NATS: it records that this member may not use its name
// or ask all nodes, and logs other errors. subject is that of the subscription that has failed, or "".
func (m *Member) handleError(err error, subject string) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		m.log.Warn("fleet: NATS", "err", err, "subject", subject)
		return
	}
	if _, rest, ok := strings.Cut(err.Error(), `"`); ok {
		subject, _, _ = strings.Cut(rest, `"`)
	}
	switch name := m.opt.Name; subject {
	case replyPrefix("*", name, m.instance) + ".*", stateSubject(name):
		m.nameDenied.Store(true)
	case stateSubject("*"), join(verbWho, name):
		m.askDenied.Store(true)
	}
	denied := m.nameDenied.Load() || m.askDenied.Load()     // learnRights logs this
	if !denied && !strings.HasPrefix(subject, "$JS.API.") { // JetStream's errors are logged where requests are made
		m.log.Warn("fleet: NATS", "err", err)
	}
}

// isNodeOnly reports whether the credentials lack a gateway's rights, according to the file name,
// which glasstty fleet init chooses.
func (o Options) isNodeOnly() bool { return strings.HasSuffix(o.Creds, nodeFile) }

// learnRights waits until NATS has refused the subscriptions that it does not allow, so that this
// member does not act as a gateway without a gateway's rights. It logs an error, but only once, if
// the missing rights keep this server out of the fleet.
func (m *Member) learnRights() {
	if err := m.conn.FlushTimeout(connectLimit); err != nil {
		m.log.Debug("fleet: rights", "err", err) // the connection is lost, or slow
	}
	if err := m.conn.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		m.handleError(err, "")
	}
	if m.isUnreachable() {
		m.deniedLogged.Do(func() { m.log.Error("fleet: this server is unreachable for the fleet", "err", m.CheckRights()) })
	}
}

// isUnreachable reports whether missing rights keep this server out of the fleet.
func (m *Member) isUnreachable() bool {
	return m.nameDenied.Load() || m.askDenied.Load() && m.opt.Handle == nil
}

// CheckRights returns an error if this member's credentials do not let it use its name or list the
// nodes.
func (m *Member) CheckRights() error {
	creds := cmp.Or(m.opt.Creds, "a client without credentials")
	switch {
	case m.nameDenied.Load():
		return fmt.Errorf("%w: NATS does not let %s use the name %s; set --node to the name of the credentials, or use the credentials of %[3]s", ErrRefused, creds, m.opt.Name)
	case m.askDenied.Load():
		return fmt.Errorf("%w: NATS does not let %s list the nodes; use a gateway's credentials (glasstty fleet init makes %s%s)", ErrRefused, creds, m.opt.Name, gatewayFile)
	}
	return nil
}
