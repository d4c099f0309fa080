package fleet

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

const (
	// connectLimit is how long one server may take to accept a connection.
	connectLimit = 3 * time.Second
	// reconnectPause is the time between two attempts to connect.
	reconnectPause = time.Second
	// pingEvery is how often the connection is tested.
	pingEvery = 10 * time.Second
)

// check returns an error for options that cannot work.
func (o Options) check() error {
	if err := CheckName(o.Name); err != nil {
		return err
	}
	for text := range strings.SplitSeq(o.URL, ",") {
		u, err := url.Parse(strings.TrimSpace(text))
		if err != nil || !isServer(u) {
			return fmt.Errorf("invalid NATS server %q (want nats://host:4222 or tls://host:4222)", text)
		}
		if u.User != nil {
			return errors.New("the address of the NATS server contains a user or token, which every user of this machine can see; give credentials with --fleet-creds FILE")
		}
		if o.Creds == "" && !loopback(u.Hostname()) {
			return fmt.Errorf("%s is another machine; give credentials with --fleet-creds FILE (without them, only a NATS server on the loopback address is allowed)", u.Host)
		}
	}
	if o.Creds == "" {
		return nil
	}
	_, err := o.credentials()
	return err
}

// isServer reports whether u can be the address of a NATS server.
func isServer(u *url.URL) bool {
	port, err := strconv.ParseUint(cmp.Or(u.Port(), defaultPort), 10, 16)
	web := u.Scheme == "ws" || u.Scheme == "wss"
	return err == nil && port > 0 && u.Hostname() != "" &&
		(web || (u.Scheme == "nats" || u.Scheme == "tls") && strings.Trim(u.Path, "/") == "")
}

// pemCertificate is the PEM type of a certificate.
const pemCertificate = "CERTIFICATE"

// trusted returns the option to trust only the certificates in a credentials file, or nil
// if it has none.
func trusted(text []byte) []nats.Option {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil
	}
	return []nats.Option{nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12})}
}

// credentials returns the options for the credentials file: a user's JWT with its seed, as
// written by nsc, or the seed of an nkey; and the certificates to trust.
func (o Options) credentials() ([]nats.Option, error) {
	text, err := os.ReadFile(o.Creds)
	if err != nil {
		return nil, fmt.Errorf("--fleet-creds: %w", err)
	}
	if strings.Contains(string(text), "-----BEGIN NATS USER JWT-----") {
		return append(trusted(text), nats.UserCredentials(o.Creds)), nil
	}
	option, err := nats.NkeyOptionFromSeed(o.Creds)
	if err != nil {
		return nil, fmt.Errorf("--fleet-creds: %s contains neither a user's credentials as nsc writes them nor the seed of a user's nkey (SU…)", o.Creds)
	}
	return append(trusted(text), option), nil
}

// secret returns a token that only the owner of the credentials can derive. Without credentials it
// returns "_": every client may then do everything.
func (o Options) secret() (string, error) {
	if o.Creds == "" {
		return "_", nil
	}
	text, err := os.ReadFile(o.Creds)
	if err != nil {
		return "", fmt.Errorf("--fleet-creds: %w", err)
	}
	pair, err := nkeys.ParseDecoratedNKey(text)
	if err != nil {
		return "", fmt.Errorf("--fleet-creds: %s: %w", o.Creds, err)
	}
	seed, err := pair.Seed()
	if err != nil {
		return "", fmt.Errorf("--fleet-creds: %s: %w", o.Creds, err)
	}
	mac := hmac.New(sha256.New, seed)
	mac.Write([]byte("glasstty fleet " + o.Name))
	return hex.EncodeToString(mac.Sum(nil)[:16]), nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// connect connects to NATS.
func (m *Member) connect() error {
	options := []nats.Option{
		nats.Name("glasstty " + m.opt.Name),
		nats.CustomInboxPrefix(inbox(m.opt.Name)),
		nats.Timeout(connectLimit),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectPause),
		nats.PingInterval(pingEvery),
		nats.ConnectHandler(m.connected),
		nats.ReconnectHandler(func(c *nats.Conn) {
			m.mu.Lock()
			m.refusal = refusal{asks: m.opt.onlyNode()} // the rights may have changed
			m.recorded.at = time.Time{}                 // NATS may have lost the record
			m.mu.Unlock()
			m.log.Warn("fleet: connected to NATS again", "server", c.ConnectedAddr())
			m.connected(c)
		}),
		nats.DiscoveredServersHandler(func(*nats.Conn) { m.checkStreams() }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				m.log.Warn("fleet: the connection to NATS was lost; trying again", "err", err)
			}
		}),
		nats.ClosedHandler(func(c *nats.Conn) {
			if m.ctx.Err() == nil {
				m.log.Error("fleet: NATS has closed the connection permanently; restart this server to join again", "err", c.LastError())
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			subject := ""
			if sub != nil {
				subject = sub.Subject
			}
			m.refused(err, subject)
		}),
	}
	if m.opt.Creds == "" && m.opt.Handle != nil {
		m.log.Warn("fleet: no credentials are used, so every user of this machine can use this server through NATS", "server", m.opt.URL)
	}
	if m.opt.Creds != "" {
		creds, err := m.opt.credentials()
		if err != nil {
			return err
		}
		options = append(options, creds...)
	}
	var err error
	m.conn, err = nats.Connect(m.opt.URL, options...)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked):
		return fmt.Errorf("the NATS server %s does not accept %s (%w); if glasstty fleet init has just created the credentials, reload the NATS server's configuration; see docs/fleet.md",
			m.opt.URL, cmp.Or(m.opt.Creds, "a client without credentials"), err)
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return fmt.Errorf("%s does not trust the certificate of the NATS server %s (%w); use the file that glasstty fleet init has made for that server",
			cmp.Or(m.opt.Creds, "this machine"), m.opt.URL, err)
	case !unreached(err):
		return fmt.Errorf("join the fleet at %s: %w", m.opt.URL, err)
	case !m.opt.Patient:
		return fmt.Errorf("cannot reach the NATS server %s (%w); check that it runs and that this machine can reach its port", m.opt.URL, err)
	}
	m.log.Warn("fleet: cannot reach the NATS server; trying again, and serving without the fleet until then", "server", m.opt.URL, "err", err)
	m.conn, err = nats.Connect(m.opt.URL, append(options, nats.RetryOnFailedConnect(true))...)
	if err != nil {
		return fmt.Errorf("join the fleet at %s: %w", m.opt.URL, err)
	}
	return nil
}

// errSlow is the error of a NATS server that has waited too long for a client's credentials, as
// happens on a busy machine. nats.go has no value for it: it compares such errors by their text.
var errSlow = errors.New("nats: authentication timeout")

// unreached reports whether an error means that no server was reached in time, so that
// trying again may help.
func unreached(err error) bool {
	var refused net.Error
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, errSlow) || errors.As(err, &refused)
}

// connected runs enter for a new connection.
func (m *Member) connected(c *nats.Conn) {
	server, err := netip.ParseAddrPort(c.ConnectedAddr())
	if !c.TLSRequired() && (err != nil || !server.Addr().Unmap().IsLoopback()) {
		m.log.Warn("fleet: the connection to NATS is not encrypted; others can read what is typed", "server", c.ConnectedAddr())
	}
	go func() {
		<-m.ready
		if m.ctx.Err() != nil {
			return
		}
		if err := m.enter(m.ctx); err != nil && m.ctx.Err() == nil {
			m.log.Error("fleet: not joined", "err", err)
		}
		select {
		case m.reconnected <- struct{}{}:
		default:
		}
		m.checkStreams()
	}()
}

// awaitConnection waits up to askLimit for a connection to NATS, and reports whether there is one.
func (m *Member) awaitConnection(ctx context.Context) bool {
	if m.conn.IsConnected() {
		return true
	}
	connected := m.conn.StatusChanged(nats.CONNECTED)
	defer m.conn.RemoveStatusListener(connected)
	limit := time.NewTimer(askLimit)
	defer limit.Stop()
	for !m.conn.IsConnected() {
		select {
		case <-connected:
		case <-ctx.Done():
			return false
		case <-m.ctx.Done():
			return false
		case <-limit.C:
			return false
		}
	}
	return true
}
