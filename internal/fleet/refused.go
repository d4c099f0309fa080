package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
)

// A refusal is what NATS does not let this member's credentials do.
type refusal struct {
	name bool // they are not for its name
	asks bool // they may not ask which nodes there are
}

// refused takes an error that NATS reports by itself. A node without a gateway's rights is
// refused what only gateways need, which is as it should be.
func (m *Member) refused(err error, subject string) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		m.log.Warn("fleet: NATS", "err", err, "subject", subject)
		return
	}
	if _, rest, ok := strings.Cut(err.Error(), `"`); ok {
		subject, _, _ = strings.Cut(rest, `"`)
	}
	name, node := m.opt.Name, m.opt.Handle != nil
	own := strings.Contains(subject+".", "."+name+".")
	m.mu.Lock()
	was := m.refusal
	switch {
	case strings.HasPrefix(subject, repliesTo("*", name, "")), subject == stateOf(name):
		m.refusal.name = true
	case subject == join(verbWho, name):
		m.refusal.asks = true
	}
	now, told := m.refusal, m.refusalTold
	tell := !told && (node && subject == stateOf(name) || !node && now.asks)
	m.refusalTold = told || tell
	m.mu.Unlock()
	switch {
	case tell:
		m.log.Error("fleet: nobody in the fleet reaches this server", "err", m.rights())
	case now != was, own && now.name, subject == join(verbWho, name), subject == stateOf("*"), strings.HasPrefix(subject, "$JS.API."), strings.HasPrefix(subject, inbox(name)):
		m.log.Debug("fleet: NATS", "err", err)
	default:
		m.log.Warn("fleet: NATS", "err", err)
	}
}

// isUnheard reports whether the log says that nobody in the fleet reaches this server.
func (m *Member) isUnheard() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.refusalTold && m.refusal != (refusal{})
}

// rights returns why this member cannot ask for nodes, or be one, with its credentials.
func (m *Member) rights() error {
	m.mu.Lock()
	r := m.refusal
	m.mu.Unlock()
	creds := cmp.Or(m.opt.Creds, "a client without credentials")
	switch {
	case r.name:
		return fmt.Errorf("%w: NATS does not let %s speak as %s; give --node the name that the credentials are for, or the credentials of %[3]s", ErrRefused, creds, m.opt.Name)
	case r.asks:
		return fmt.Errorf("%w: NATS does not let %s ask for the nodes; that needs a gateway's credentials (%s%s of glasstty fleet init)", ErrRefused, creds, m.opt.Name, gatewayFile)
	}
	return nil
}
