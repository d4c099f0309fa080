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
	// connectLimit is how long a NATS server may take to accept a connection, or to confirm that it
	// has received all messages.
	connectLimit = 3 * time.Second
	// reconnectPause is the time between two attempts to connect.
	reconnectPause = time.Second
	// pingEvery is the time between two tests of the connection.
	pingEvery = 10 * time.Second
)

// check returns an error for options that cannot work.
func (o Options) check() error {
	if err := CheckName(o.Name); err != nil {
		return err
	}
	for text := range strings.SplitSeq(o.URL, ",") {
		u, err := url.Parse(strings.TrimSpace(text))
		if err != nil || !isServerURL(u) {
			return fmt.Errorf("invalid NATS server %q (want nats://host:4222 or tls://host:4222)", text)
		}
		if u.User != nil {
			return errors.New("the address of the NATS server contains a user or token, which every user of this machine can see; give credentials with --fleet-creds FILE")
		}
		if o.Creds == "" && !isLoopback(u.Hostname()) {
			return fmt.Errorf("%s is another machine; give credentials with --fleet-creds FILE (without them, only a NATS server on the loopback address is allowed)", u.Host)
		}
	}
	return nil
}

// isServerURL reports whether u can be the address of a NATS server.
func isServerURL(u *url.URL) bool {
	port, err := strconv.ParseUint(cmp.Or(u.Port(), defaultPort), 10, 16)
	web := u.Scheme == "ws" || u.Scheme == "wss"
	return err == nil && port > 0 && u.Hostname() != "" &&
		(web || (u.Scheme == "nats" || u.Scheme == "tls") && strings.Trim(u.Path, "/") == "")
}

// pemCertificate is the PEM type of a certificate.
const pemCertificate = "CERTIFICATE"

// trustOptions returns the option to trust only the certificates in text, the content of a
// credentials file, or nil if the text contains none.
func trustOptions(text []byte) []nats.Option {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil
	}
	return []nats.Option{nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12})}
}

// credentials reads the credentials file. The file contains a user's JWT and seed, as nsc writes
// them, or the seed of an nkey, and may contain certificates to trust. secret is a token that only
// the owner of the credentials can derive. Without a file, secret is "_", because every client may
// then do everything.
func (o Options) credentials() (options []nats.Option, secret string, err error) {
	if o.Creds == "" {
		return nil, "_", nil
	}
	text, err := os.ReadFile(o.Creds)
	if err != nil {
		return nil, "", fmt.Errorf("--fleet-creds: %w", err)
	}
	option := nats.UserCredentials(o.Creds)
	if !strings.Contains(string(text), "-----BEGIN NATS USER JWT-----") {
		option, err = nats.NkeyOptionFromSeed(o.Creds)
	}
	pair, perr := nkeys.ParseDecoratedNKey(text)
	if err != nil || perr != nil {
		return nil, "", fmt.Errorf("--fleet-creds: %s contains neither a user's credentials as nsc writes them nor the seed of a user's nkey (SU…)", o.Creds)
	}
	seed, err := pair.Seed()
	if err != nil {
		return nil, "", fmt.Errorf("--fleet-creds: %s: %w", o.Creds, err)
	}
	mac := hmac.New(sha256.New, seed)
	mac.Write([]byte("glasstty fleet " + o.Name))
	return append(trustOptions(text), option), hex.EncodeToString(mac.Sum(nil)[:16]), nil
}

// isLoopback reports whether a host is "localhost" or a loopback address.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// connect connects to NATS with the options for the credentials. A server that cannot reach NATS
// keeps trying in the background, and connect returns nil.
func (m *Member) connect(creds []nats.Option) error {
	options := append(creds,
		nats.Name("glasstty "+m.opt.Name),
		nats.CustomInboxPrefix(inboxPrefix(m.opt.Name)),
		nats.Timeout(connectLimit),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectPause),
		nats.PingInterval(pingEvery),
		nats.ConnectHandler(m.handleConnected),
		nats.ReconnectHandler(func(c *nats.Conn) {
			m.nameDenied.Store(false) // the rights may have changed
			m.askDenied.Store(m.opt.isNodeOnly())
			m.log.Warn("fleet: connected to NATS again", "server", c.ConnectedAddr())
			m.handleConnected(c)
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
			m.handleError(err, subject)
		}),
	)
	if m.opt.Creds == "" && m.opt.Handle != nil {
		m.log.Warn("fleet: no credentials are used, so every user of this machine can use this server through NATS", "server", m.opt.URL)
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
	case !mayRetry(err):
		return fmt.Errorf("join the fleet at %s: %w", m.opt.URL, err)
	case !m.opt.Server:
		return fmt.Errorf("cannot reach the NATS server %s (%w); check that it runs and that this machine can reach its port", m.opt.URL, err)
	}
	m.log.Warn("fleet: cannot reach the NATS server; trying again, and serving without the fleet until then", "server", m.opt.URL, "err", err)
	m.conn, err = nats.Connect(m.opt.URL, append(options, nats.RetryOnFailedConnect(true))...)
	if err != nil {
		return fmt.Errorf("join the fleet at %s: %w", m.opt.URL, err)
	}
	return nil
}

// errAuthTimeout matches the error of a NATS server that has waited too long for a client's
// credentials, for example on a busy machine. nats.go has no value for it, but its errors for a
// server's messages match (errors.Is) every error with the same text in lower case.
var errAuthTimeout = errors.New("nats: authentication timeout")

// mayRetry reports whether an error means that no server was reached in time, so that
// another attempt may succeed.
func mayRetry(err error) bool {
	var network net.Error
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, errAuthTimeout) || errors.As(err, &network)
}

// handleConnected waits until Join has returned, and then runs enter and checkStreams for a new connection.
func (m *Member) handleConnected(c *nats.Conn) {
	server, err := netip.ParseAddrPort(c.ConnectedAddr())
	if !c.TLSRequired() && (err != nil || !server.Addr().Unmap().IsLoopback()) {
		m.log.Warn("fleet: the connection to NATS is not encrypted; others can read what is typed", "server", c.ConnectedAddr())
	}
	go func() {
		<-m.joined
		if m.ctx.Err() != nil {
			return
		}
		if err := m.enter(m.ctx); err != nil && m.ctx.Err() == nil {
			m.log.Error("fleet: not joined", "err", err)
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
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	for !m.conn.IsConnected() {
		select {
		case <-connected:
		case <-ctx.Done():
			return false
		case <-m.ctx.Done():
			return false
		}
	}
	return true
}
