package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestTypeScriptClientOverHTTP lets the client of the TypeScript SDK use the
// server over both transports.
func TestTypeScriptClientOverHTTP(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	s := serveHTTP(t)
	if out, err := checker(t, "http.mjs", s.url, httpToken).CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestInspectorOverHTTP asks with the inspector's CLI, with the right token and a
// wrong one.
func TestInspectorOverHTTP(t *testing.T) {
	const noAuth = 3 // the inspector's status for a token that is not taken
	t.Parallel()
	s := serveHTTP(t)
	for _, era := range []string{"legacy", "modern"} {
		for token, want := range map[string]int{httpToken: 0, "wrong-0123456789abcdefghijkl": noAuth} {
			out, errs, status := inspect(t, "--stored-auth-only", "--protocol-era", era, "--transport", "http", "--server-url", s.url+"/mcp",
				"--header", "Authorization: Bearer "+token, "--method", "tools/list", "--strict")
			if status != want || (want == 0) != strings.Contains(out, `"start_process"`) {
				t.Errorf("%s: status %d, want %d\n%.300s%s", era, status, want, out, errs)
			}
		}
	}
}

// TestConformance runs the official suites of both eras. They can send no token:
// a proxy does that for them.
func TestConformance(t *testing.T) {
	t.Parallel()
	s := serveHTTP(t)
	target, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Transport:     withToken(httpToken),
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // the suite tries foreign ones
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if !errors.Is(err, context.Canceled) {
				t.Log(err)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	})
	t.Cleanup(proxy.Close)
	for version, words := range map[string][]string{
		"2025-11-25": {"--suite", "all", "--spec-version", "2025-11-25"},
		"2026-07-28": {"--requirements", "2026-07-28"},
	} {
		t.Run(version, func(t *testing.T) {
			cmd := checker(t, filepath.Join("node_modules", ".bin", "conformance"), append([]string{"server", "--url", proxy.URL + "/mcp",
				"--expected-failures", "expected-" + version + ".yaml", "-o", t.TempDir()}, words...)...)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "dns-rebinding-protection: 2 passed, 0 failed") {
				t.Errorf("%v\n%s", err, tail(string(out), 5000))
			}
		})
	}
}
