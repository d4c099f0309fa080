package fleet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nkeys"
)

// Rights returns the subjects that a node, a gateway or a member that is both may publish and subscribe to.
func Rights(name string, node, gateway bool) (publish, subscribe []string) {
	subscribe = []string{replyPrefix("*", name, ">"), inboxPrefix(name) + ".>"}
	if node {
		publish = append(publish, join("from", name, ">"), recordSubject(name, "*"))
		subscribe = append(subscribe, join(verbWho, "*"), join("to", name, ">"), stateSubject(name))
	}
	if gateway {
		publish = append(publish, join(verbWho, name), requestSubject("*", "*", "*", name), recordSubject("*", "*"),
			auditSubject(name, "*", "*"),
			Recording{"*", "*", "*"}.subject("*", "*"), "$JS.API.INFO", "$JS.API.STREAM.MSG.GET."+recordingStreamName)
		for _, s := range streamNames() {
			publish = append(publish, "$JS.API.STREAM.INFO."+s, "$JS.API.STREAM.CREATE."+s, "$JS.API.STREAM.UPDATE."+s, "$JS.API.CONSUMER.*."+s+".>", "$JS.FC."+s+".>")
		}
		subscribe = append(subscribe, stateSubject("*"))
	}
	return publish, subscribe
}

// The files of a Setup. A member's credentials are NAME.node or NAME.gateway.
const (
	configFile  = "nats.conf"
	certFile    = "cert.pem"
	keyFile     = "key.pem"
	pidFile     = "nats.pid"
	nodeFile    = ".node"
	gatewayFile = ".gateway"

	// certLife is the lifetime of the server's certificate.
	certLife = 10 * 365 * 24 * time.Hour
)

// defaultPort is the NATS server's port, unless its configuration has another.
const defaultPort = "4222"

// A Setup is a directory with the files that a NATS server needs to serve a fleet, and with
// the credentials of the members.
type Setup struct {
	Dir   string
	Hosts []string // names or addresses by which members reach the server
}

// Make creates the server's certificate and the credentials of the given nodes and gateways,
// except for files that exist. It then writes the server's configuration for all members.
func (s Setup) Make(nodes, gateways []string) error {
	var files []string
	for suffix, names := range map[string][]string{nodeFile: nodes, gatewayFile: gateways} {
		for _, name := range names {
			if err := CheckName(name); err != nil {
				return err
			}
			files = append(files, name+suffix)
		}
	}
	members, err := s.members()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(members)+len(files) == 0 {
		return errors.New("name a member with --node or --gateway; a NATS server without users lets everybody in")
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	cert, err := s.ensureCertificate()
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := s.createCredentials(file, cert); err != nil {
			return err
		}
	}
	return s.configure()
}

// members returns the names of the credentials files in the directory.
func (s Setup) members() (files []string, err error) {
	entries, err := os.ReadDir(s.Dir)
	for _, e := range entries {
		if suffix := filepath.Ext(e.Name()); suffix == nodeFile || suffix == gatewayFile {
			files = append(files, e.Name())
		}
	}
	return files, err
}

// ensureCertificate returns the server's certificate, and creates it if there is none.
func (s Setup) ensureCertificate() ([]byte, error) {
	path := filepath.Join(s.Dir, certFile)
	text, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	if len(s.Hosts) == 0 {
		return nil, errors.New("name the NATS server's machine as the members reach it, as in --host nats.example.com")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	about := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "glasstty fleet"},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(certLife), // clocks differ
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, h := range s.Hosts {
		if ip := net.ParseIP(h); ip != nil {
			about.IPAddresses = append(about.IPAddresses, ip)
		} else {
			about.DNSNames = append(about.DNSNames, h)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(s.Dir, keyFile), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600); err != nil {
		return nil, err
	}
	text = pem.EncodeToMemory(&pem.Block{Type: pemCertificate, Bytes: der})
	return text, os.WriteFile(path, text, 0o600)
}

// hostForm matches a host name (RFC 1123). It also allows _, which some names contain.
var hostForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`) })

// maxHost is the maximum length of a host name, in bytes.
const maxHost = 253

// CheckHosts returns an error if one of Hosts is not a host name or address, or if the
// certificate exists but is invalid or does not cover all Hosts.
func (s Setup) CheckHosts() error {
	for _, h := range s.Hosts {
		if net.ParseIP(h) == nil && (len(h) > maxHost || !hostForm().MatchString(h)) {
			return fmt.Errorf("invalid host %q (want a name or an address, as in nats.example.com or 192.0.2.7; %s has the port)", h, configFile)
		}
	}
	cert, err := s.readCertificate()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, h := range s.Hosts {
		if err == nil && cert.VerifyHostname(h) != nil {
			err = fmt.Errorf("%s is for %[3]s, not for host %[2]q, and the members trust it; use another directory for another host",
				filepath.Join(s.Dir, certFile), h, strings.Join(certificateHosts(cert), ", "))
		}
	}
	return err
}

// readCertificate returns the server's certificate, which must exist.
func (s Setup) readCertificate() (*x509.Certificate, error) {
	path := filepath.Join(s.Dir, certFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s has no certificate", path)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err == nil && len(certificateHosts(cert)) == 0 {
		err = errors.New("it names no host")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return cert, nil
}

// certificateHosts returns the names and addresses that a certificate is for.
func certificateHosts(cert *x509.Certificate) []string {
	names := slices.Clone(cert.DNSNames)
	for _, ip := range cert.IPAddresses {
		names = append(names, ip.String())
	}
	return names
}

// Credentials returns the path of a gateway's credentials. The gateway may also be a node.
func (s Setup) Credentials(gateway string) string { return filepath.Join(s.Dir, gateway+gatewayFile) }

// PIDFile returns the path of the file to which the NATS server writes its process ID.
func (s Setup) PIDFile() string { return filepath.Join(s.Dir, pidFile) }

// URL returns the server's address for use on this machine (here) or on other machines. For this
// machine it prefers a loopback address, for other machines any other.
func (s Setup) URL(here bool) (string, error) {
	cert, err := s.readCertificate()
	if err != nil {
		return "", err
	}
	names := certificateHosts(cert)
	i := max(0, slices.IndexFunc(names, func(n string) bool { return isLoopback(n) == here }))
	port, err := s.port()
	return "tls://" + net.JoinHostPort(names[i], port), err
}

// portLine matches the port in the server's configuration.
var portLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^port: (\d+)$`) })

// port returns the port in the server's configuration, or defaultPort if there is none.
func (s Setup) port() (string, error) {
	text, err := os.ReadFile(filepath.Join(s.Dir, configFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if m := portLine().FindSubmatch(text); m != nil {
		return string(m[1]), nil
	}
	return defaultPort, nil
}

// createCredentials creates a member's credentials file, unless it exists: the seed of an nkey, and
// the server's certificate for the member to trust.
func (s Setup) createCredentials(file string, cert []byte) error {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return err
	}
	seed, err := pair.Seed()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(s.Dir, file), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s\n%s", seed, cert)
	return errors.Join(err, f.Close())
}

// configure writes the NATS server's configuration, with a user for each credentials file.
func (s Setup) configure() error {
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return err
	}
	members, err := s.members()
	if err != nil {
		return err
	}
	port, err := s.port()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Made by glasstty fleet init, which overwrites this file but keeps the port.\nport: %s\npid_file: %q\n", port, filepath.Join(dir, pidFile))
	fmt.Fprintf(&b, "jetstream { store_dir: %q, max_file_store: 2G }\n", filepath.Join(dir, "data"))
	fmt.Fprintf(&b, "tls { cert_file: %q, key_file: %q }\nauthorization { users = [\n", filepath.Join(dir, certFile), filepath.Join(dir, keyFile))
	for _, file := range members {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return err
		}
		pair, err := nkeys.ParseDecoratedNKey(text)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		user, err := pair.PublicKey()
		if err != nil {
			return err
		}
		// A gateway may be a node too.
		suffix := filepath.Ext(file)
		publish, subscribe := Rights(strings.TrimSuffix(file, suffix), true, suffix == gatewayFile)
		fmt.Fprintf(&b, "  { nkey: %s, permissions: { publish: [%s], subscribe: [%s] } }\n", user, quoteList(publish), quoteList(subscribe))
	}
	b.WriteString("] }\n")
	return os.WriteFile(filepath.Join(dir, configFile), []byte(b.String()), 0o600)
}

// quoteList formats subjects as the elements of a list in the configuration.
func quoteList(subjects []string) string {
	out := slices.Clone(subjects)
	for i := range out {
		out[i] = fmt.Sprintf("%q", out[i])
	}
	return strings.Join(out, ", ")
}
