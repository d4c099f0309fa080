package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestTypeScriptClientOverHTTP checks that the TypeScript SDK's client can use the server
// over both HTTP transports.
func TestTypeScriptClientOverHTTP(t *testing.T) {
	need.Long(t)
	need.Program(t, "bash")
	t.Parallel()
	s := serveHTTP(t)
	if out, err := checker(t, "http.mjs", s.url, httpToken).CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestInspectorOverHTTP checks the inspector's CLI over HTTP with a valid and an invalid
// token.
func TestInspectorOverHTTP(t *testing.T) {
	need.Long(t)
	const noAuth = 3 // the inspector's exit status for a rejected token
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

// TestConformance runs the official conformance suites of both protocol versions. They
// cannot send a token, so the server does not require one.
func TestConformance(t *testing.T) {
	need.Long(t)
	t.Parallel()
	s := serveAt(t, t.TempDir(), "--port", "0")
	for version, words := range map[string][]string{
		"2025-11-25": {"--suite", "all", "--spec-version", "2025-11-25"},
		"2026-07-28": {"--requirements", "2026-07-28"},
	} {
		t.Run(version, func(t *testing.T) {
			results := t.TempDir()
			cmd := checker(t, filepath.Join("node_modules", ".bin", "conformance"), append([]string{"server", "--url", s.url + "/mcp",
				"--expected-failures", "expected-" + version + ".yaml", "-o", results}, words...)...)
			out, err := cmd.CombinedOutput()
			if err == nil && strings.Contains(string(out), "dns-rebinding-protection: 2 passed, 0 failed") {
				return
			}
			_, unexpected, _ := strings.Cut(string(out), "Unexpected failures")
			t.Errorf("%v\n%s", err, tail(unexpected, 2000))
			for scenario := range strings.Lines(unexpected) {
				if name, ok := strings.CutPrefix(strings.TrimSpace(scenario), "✗ "); ok {
					showChecks(t, filepath.Join(results, "server-"+name+"-*", "checks.json"))
				}
			}
		})
	}
}

// showChecks logs the failed checks in the files that match a pattern.
func showChecks(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var checks []struct{ ID, Status, ErrorMessage string }
		if err := json.Unmarshal(data, &checks); err != nil {
			t.Fatal(err)
		}
		for _, c := range checks {
			if c.Status == "FAILURE" || c.Status == "WARNING" {
				t.Logf("%s: %s", c.ID, c.ErrorMessage)
			}
		}
	}
}
