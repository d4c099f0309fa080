package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"

	"github.com/glasstty/glasstty/internal/httpserve"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
)

// httpFlags are the settings of the HTTP server.
type httpFlags struct {
	HTTP        bool     `name:"http" default:"true" env:"GLASSTTY_HTTP" help:"Serve MCP over HTTP too (default true)."`
	Host        string   `default:"127.0.0.1" placeholder:"ADDR" env:"GLASSTTY_HOST" help:"Address to listen on (default ${default}). One that other machines reach needs a token."`
	Port        int      `default:"8080" min:"0" max:"65535" placeholder:"N" env:"GLASSTTY_PORT" help:"Port to listen on, 0 for any that is free (default 8080; when that one is taken, only the socket is served)."`
	TokenFile   string   `placeholder:"PATH" env:"GLASSTTY_TOKEN_FILE" help:"File with the tokens of HTTP clients, mode 0600; GLASSTTY_TOKEN is one more. See glasstty token."`
	AllowHost   []string `placeholder:"NAME" env:"GLASSTTY_ALLOW_HOST" help:"Further names that clients may call the server by, such as a proxy's."`
	AllowOrigin []string `placeholder:"URL" env:"GLASSTTY_ALLOW_ORIGIN" help:"Pages of other sites that may use the server, such as https://app.example.com."`
	TLSCert     string   `placeholder:"PATH" env:"GLASSTTY_TLS_CERT" help:"Certificate (PEM), to serve HTTPS."`
	TLSKey      string   `placeholder:"PATH" env:"GLASSTTY_TLS_KEY" help:"The certificate's key (PEM)."`
}

// defaultHost is the default of --host.
const defaultHost = "127.0.0.1"

// tokenVar is an environment variable that contains one token. No flag can set the token, because all users
// of the machine can see the flags of a process.
const tokenVar = "GLASSTTY_TOKEN"

// takeToken returns the token in tokenVar, or nil if the variable is not set. It unsets the variable,
// so that programs in sessions do not inherit it.
func takeToken() ([]*httpserve.Token, error) {
	secret := os.Getenv(tokenVar)
	if secret == "" {
		return nil, nil
	}
	if err := os.Unsetenv(tokenVar); err != nil {
		return nil, err
	}
	t, err := httpserve.NewToken(secret)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tokenVar, err)
	}
	return []*httpserve.Token{t}, nil
}

// serveHTTP starts serving over HTTP. With --no-http it does nothing. If the port is taken, it returns an
// error if a token or a setting of asksHTTP shows that the user wants HTTP, and otherwise prints a warning.
func (c *serveCmd) serveHTTP(ctx context.Context, std stdio, b *backend, tokens []*httpserve.Token, page *livePage) error {
	if !c.HTTP {
		return nil
	}
	h, err := c.newHTTP(b, tokens, c.logger(std.err))
	if err != nil {
		return usageError(err)
	}
	countSessions(h, b.mgr)
	err = page.serve(ctx, h, c.Port)
	switch {
	case errors.Is(err, httpserve.ErrInUse) && tokens == nil && !c.asksHTTP():
		fmt.Fprintf(std.err, "glasstty: %v; only the socket is served\n", err)
		return nil
	case errors.Is(err, httpserve.ErrNoToken):
		return usageError(err)
	}
	return err
}

// asksHTTP reports whether --port, --host, --token-file or --tls-cert is set, which shows that the
// user wants HTTP.
func (c *serveCmd) asksHTTP() bool {
	port := slices.ContainsFunc(c.settings, func(s setting) bool { return s.name == "port" && !s.isDefault() })
	return port || c.Host != defaultHost || c.TokenFile != "" || c.TLSCert != ""
}

// newHTTP returns an HTTP server with the settings of the flags.
func (c *serveCmd) newHTTP(b *backend, tokens []*httpserve.Token, log *slog.Logger) (*httpserve.Server, error) {
	keys, err := httpserve.NewKeyring(c.TokenFile, log, tokens...)
	if err != nil {
		return nil, err
	}
	config, err := c.tls()
	if err != nil {
		return nil, err
	}
	return httpserve.New(httpserve.Options{
		Host:         c.Host,
		Hosts:        c.AllowHost,
		Origins:      c.AllowOrigin,
		Keys:         keys,
		TLS:          config,
		Logger:       log,
		Audit:        c.log,
		BrowsersFile: c.browsersPath(),
		MCP:          b.srv.MCP(),
		Tools:        mcpserver.ObserverTools(),
		MarkReadOnly: session.WithObserver,
		StopCalls:    b.srv.Stop,
		ServesHosts:  c.link.accepts,
		Within:       b.mgr.AllWithin,
	})
}

// checkHTTP returns the error with which serveHTTP would refuse the settings, or nil. It tries to listen on
// any free port, because a running server may use the configured port.
func (c *serveCmd) checkHTTP(ctx context.Context, b *backend, log *slog.Logger) error {
	tokens, err := takeToken()
	if err != nil {
		return err
	}
	h, err := c.newHTTP(b, tokens, log)
	if err != nil {
		return err
	}
	l, err := h.Listen(ctx, 0)
	if err != nil {
		return err
	}
	return l.Close()
}

// tls returns the configuration for HTTPS, or nil for plain HTTP.
func (f *httpFlags) tls() (*tls.Config, error) {
	if f.TLSCert == "" && f.TLSKey == "" {
		return nil, nil
	}
	if f.TLSCert == "" || f.TLSKey == "" {
		return nil, errors.New("--tls-cert and --tls-key belong together")
	}
	cert, err := tls.LoadX509KeyPair(f.TLSCert, f.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}, nil
}

// countSessions adds the numbers of running and of ended sessions to /metrics.
func countSessions(h *httpserve.Server, mgr *session.Manager) {
	h.Gauge("sessions", "Terminal sessions, by status.", func() map[string]float64 {
		n := map[string]float64{}
		for _, status := range []session.Status{session.StatusRunning, session.StatusExited} {
			n[fmt.Sprintf("{status=%q}", status)] = float64(countStatus(mgr, status))
		}
		return n
	})
}

// countStatus returns the number of sessions with a status.
func countStatus(mgr *session.Manager, status session.Status) (n int) {
	for _, i := range mgr.List() {
		if i.Status == status {
			n++
		}
	}
	return n
}
