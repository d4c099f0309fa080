package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
)

// A refusal records which rights NATS refuses to this member's credentials.
type refusal struct {
	name bool // to use the member's name
	asks bool // to ask for all nodes
}

// refused handles an asynchronous error from NATS.
func (m *Member) refused(err error, subject string) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		m.log.Warn("fleet: NATS", "err", err, "subject", subject)
		return
	}
	if _, rest, ok := strings.Cut(err.Error(), `"`); ok {
		subject, _, _ = strings.Cut(rest, `"`)
	}
	m.mu.Lock()
	switch name := m.opt.Name; subject {
	case repliesTo("*", name, m.instance) + ".*", stateOf(name):
		m.refusal.name = true
	case stateOf("*"), join(verbWho, name):
		m.refusal.asks = true
	}
	known := m.refusal != refusal{} || strings.HasPrefix(subject, "$JS.API.")
	m.mu.Unlock()
	if !known { // otherwise learnRights or the user of JetStream logs it
		m.log.Warn("fleet: NATS", "err", err)
	}
}

// onlyNode reports whether the name of the credentials file, chosen by glasstty fleet init,
// says that the credentials lack a gateway's rights.
func (o Options) onlyNode() bool { return strings.HasSuffix(o.Creds, nodeFile) }

// learnRights waits until NATS has refused the subscriptions that it does not allow, so that this
// member does not try to act as a gateway without a gateway's rights. It logs once if the missing
// rights keep this server out of the fleet.
func (m *Member) learnRights() {
	if err := m.conn.FlushTimeout(connectLimit); err != nil {
		m.log.Debug("fleet: rights", "err", err) // the connection is lost, or slow
	}
	if err := m.conn.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		m.refused(err, "")
	}
	if m.isUnreachable() {
		m.refusalLogged.Do(func() { m.log.Error("fleet: this server is unreachable for the fleet", "err", m.Rights()) })
	}
}

// isUnreachable reports whether its credentials keep this server out of the fleet.
func (m *Member) isUnreachable() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.refusal.name || m.refusal.asks && m.opt.Handle == nil
}

// Rights returns why this member's credentials do not let it ask for nodes or use its name,
// or nil if they do.
func (m *Member) Rights() error {
	m.mu.Lock()
	r := m.refusal
	m.mu.Unlock()
	creds := cmp.Or(m.opt.Creds, "a client without credentials")
	switch {
	case r.name:
		return fmt.Errorf("%w: NATS does not let %s use the name %s; set --node to the name of the credentials, or use the credentials of %[3]s", ErrRefused, creds, m.opt.Name)
	case r.asks:
		return fmt.Errorf("%w: NATS does not let %s list the nodes; use a gateway's credentials (glasstty fleet init makes %s%s)", ErrRefused, creds, m.opt.Name, gatewayFile)
	}
	return nil
}
