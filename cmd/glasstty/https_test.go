package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// certificate creates a certificate for the loopback address. It returns a pool with the
// certificate, and the files of the certificate and its key.
func certificate(t *testing.T) (pool *x509.CertPool, cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "glasstty test"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, secret.Public(), secret)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	pool.AddCert(parsed)
	return pool, cert, key
}

// overTLS sends requests with a token to a server whose certificate its Transport trusts.
type overTLS struct {
	*http.Transport
}

// RoundTrip sends one request.
func (tr overTLS) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+httpToken)
	return tr.Transport.RoundTrip(r)
}

// TestHTTPS checks that the SDK's client can use the server over TLS, with HTTP/1.1 and
// HTTP/2.
func TestHTTPS(t *testing.T) {
	t.Parallel()
	pool, cert, key := certificate(t)
	s := serveHTTP(t, "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(s.url, "https://") {
		t.Fatalf("server listens on %s, want https", s.url)
	}
	for _, http2 := range []bool{false, true} {
		tr := overTLS{&http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: http2}}
		client := mcp.NewClient(&mcp.Implementation{Name: "glasstty-test", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: tr}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		a := &agent{t: t, session: session}
		a.call("list_sessions", args{})
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		res, err := tr.RoundTrip(mustGet(t, s.url+"/healthz"))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 200 || (res.ProtoMajor == 2) != http2 {
			t.Errorf("%s over HTTP/%d", res.Status, res.ProtoMajor)
		}
		tr.CloseIdleConnections()
	}
	if res, err := http.Get(strings.Replace(s.url, "https", "http", 1) + "/healthz"); err == nil {
		res.Body.Close()
		if res.StatusCode == 200 {
			t.Error("the server answers without TLS")
		}
	}
}

// mustGet returns a GET request.
func mustGet(t *testing.T, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}
