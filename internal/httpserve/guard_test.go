package httpserve

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// TestGuards checks the answers to requests that each differ from a valid one in one
// header.
func TestGuards(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t), Hosts: []string{"Term.example.com"}, Origins: []string{"https://app.example.com"}, Limits: Limits{Guesses: 1000}})
	port := r.addr[strings.LastIndexByte(r.addr, ':'):]
	good := "Bearer " + tokenFull
	for _, tt := range []struct {
		name   string
		header []string
		want   int
		text   string
	}{
		{"good", []string{"Authorization", good}, 200, "serverInfo"},
		{"scheme in any case", []string{"Authorization", "bearer " + tokenFull}, 200, "serverInfo"},
		{"no token", nil, 401, "a token is needed"},
		{"wrong token", []string{"Authorization", "Bearer wrong-0123456789abcdefgh"}, 401, "not known"},
		{"part of a token", []string{"Authorization", "Bearer " + tokenFull[:20]}, 401, "not known"},
		{"empty token", []string{"Authorization", "Bearer "}, 401, "not known"},
		{"expired token", []string{"Authorization", "Bearer " + tokenOld}, 401, "expired"},
		{"token of other hosts", []string{"Authorization", "Bearer " + tokenHosts}, 403, "this server is not one of them"},
		{"other scheme", []string{"Authorization", "Basic " + tokenFull}, 401, "a token is needed"},
		{"two tokens", []string{"Authorization", good, "Authorization", good}, 401, "a token is needed"},
		{"token in a cookie", []string{"Cookie", cookieName + port[1:] + "=" + tokenFull}, 401, "a token is needed"},
		{"localhost", []string{"Authorization", good, "Host", "localhost" + port}, 200, "serverInfo"},
		{"IPv6 loopback", []string{"Authorization", good, "Host", "[::1]:1"}, 200, "serverInfo"},
		{"allowed host", []string{"Authorization", good, "Host", "term.EXAMPLE.com"}, 200, "serverInfo"},
		{"foreign host", []string{"Authorization", good, "Host", "evil.example.com"}, 403, "is not served here"},
		{"foreign host of a wrong token", []string{"Host", "evil.example.com"}, 403, "is not served here"},
		{"host that begins like ours", []string{"Authorization", good, "Host", "127.0.0.1.evil.com"}, 403, "is not served here"},
		{"address that is not ours", []string{"Authorization", good, "Host", "10.1.2.3"}, 403, "is not served here"},
		{"own origin", []string{"Authorization", good, "Origin", r.url}, 200, "serverInfo"},
		{"allowed origin", []string{"Authorization", good, "Origin", "https://app.example.com"}, 200, "serverInfo"},
		{"host with another behind a comma", []string{"Authorization", good, "Host", "127.0.0.1:18080,evil.example"}, 403, "is not served here"},
		{"host with a port that is none", []string{"Authorization", good, "Host", "127.0.0.1:evil"}, 403, "is not served here"},
		{"host in brackets", []string{"Authorization", good, "Host", "[[localhost]]"}, 403, "is not served here"},
		{"foreign origin", []string{"Authorization", good, "Origin", "https://evil.example.com"}, 403, "may not use"},
		{"foreign origin of a wrong token", []string{"Origin", "https://evil.example.com"}, 403, "may not use"},
		{"other port of this machine", []string{"Authorization", good, "Origin", "http://127.0.0.1:1"}, 403, "may not use"},
		{"origin null", []string{"Authorization", good, "Origin", "null"}, 403, "may not use"},
		{"two origins", []string{"Authorization", good, "Origin", r.url, "Origin", "https://evil.example.com"}, 403, "may not use"},
		{"origin that begins like ours", []string{"Authorization", good, "Origin", r.url + ".evil.com"}, 403, "may not use"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, h, body := r.ask("POST", "/mcp", initBody, post(tt.header...)...)
			if status != tt.want || !strings.Contains(body, tt.text) {
				t.Errorf("%d %q, want %d and %q", status, body, tt.want, tt.text)
			}
			if challenge := h.Get("WWW-Authenticate"); (status == 401) != strings.HasPrefix(challenge, "Bearer ") {
				t.Errorf("WWW-Authenticate: %q", challenge)
			}
			if strings.Contains(fmt.Sprint(body, h), tokenFull[:12]) {
				t.Errorf("the answer contains the token: %q %v", body, h)
			}
		})
	}
}

// TestEveryPathIsGuarded checks that every path rejects requests with a foreign Host, and
// every path except /healthz those without a token.
func TestEveryPathIsGuarded(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t), Limits: Limits{Guesses: 1000}})
	r.Handle("GET /extra", Access{Scope: ScopeType}, http.NotFoundHandler())
	for _, path := range []string{"/mcp", "/sse", "/metrics", "/extra", "/healthz"} {
		want := 401
		if path == "/healthz" {
			want = 200
		}
		if status, _, body := r.ask("GET", path, ""); status != want {
			t.Errorf("%s without a token: %d %s", path, status, body)
		}
		if status, _, body := r.ask("GET", path, "", "Host", "evil.com", "Authorization", "Bearer "+tokenFull); status != 403 {
			t.Errorf("%s with a foreign Host: %d %s", path, status, body)
		}
	}
	if status, _, body := r.ask("GET", "/extra", "", "Authorization", "Bearer "+tokenRead); status != 403 || !strings.Contains(body, "scope is read; type is needed") {
		t.Errorf("insufficient scope: %d %s", status, body)
	}
	if status, _, _ := r.ask("GET", "/extra", "", "Authorization", "Bearer "+tokenFull); status != 404 {
		t.Errorf("the handler is not reached: %d", status)
	}
}

// TestPathTricks checks that unusual paths, session IDs and event IDs lead nowhere.
func TestPathTricks(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{})
	for _, path := range []string{"/mcp/../metrics/x", "/mcp/..%2fmetrics", "/MCP", "/mcp/", "/%6dcp/../../etc/passwd", "/link/../mcp/x", "/link/..%2f..%2fmcp", "//evil.com/mcp/"} {
		conn := r.raw("GET", path, "", "Connection", "close")
		got := readUntil(t, conn, "\r\n")
		if !strings.Contains(got, " 404 ") && !strings.Contains(got, " 30") && !strings.Contains(got, " 410 ") {
			t.Errorf("%s: %q", path, got)
		}
	}
	for _, id := range []string{"../../etc/passwd", "x/../y", strings.Repeat("A", 1000), "%00"} {
		if status, _, body := r.ask("POST", "/mcp", lookBody, post(headerSession, id)...); status != 404 {
			t.Errorf("MCP session %q: %d %s", id, status, body)
		}
		if status, _, body := r.ask("POST", "/sse?sessionid="+strings.ReplaceAll(id, "%", "%25"), lookBody, post()...); status != 404 {
			t.Errorf("stream %q: %d %s", id, status, body)
		}
		if status, _, body := r.ask("GET", "/mcp", "", "Accept", "text/event-stream", headerSession, r.initialize(), headerLastEvent, id); status != 400 {
			t.Errorf("event %q: %d %s", id, status, body)
		}
	}
}

// TestPreflight checks the answers to the preflight requests of browsers.
func TestPreflight(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t), Origins: []string{"https://app.example.com"}})
	status, h, _ := r.ask("OPTIONS", "/mcp", "", "Origin", "https://app.example.com", "Access-Control-Request-Method", "POST")
	if status != 204 || h.Get("Access-Control-Allow-Origin") != "https://app.example.com" || !strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("%d %v", status, h)
	}
	status, h, _ = r.ask("OPTIONS", "/mcp", "", "Origin", "https://evil.example.com", "Access-Control-Request-Method", "POST")
	if status != 403 || h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("foreign: %d %v", status, h)
	}
}

// TestListen checks that a server without a token does not listen on addresses that other
// machines can reach.
func TestListen(t *testing.T) {
	for _, host := range []string{"0.0.0.0", "", "::"} {
		s, err := New(Options{Host: host})
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.Listen(t.Context(), 0)
		if err == nil {
			l.Close()
			t.Errorf("%q: listens without a token", host)
		} else if !strings.Contains(err.Error(), ErrNoToken.Error()) && !strings.Contains(err.Error(), "address family") {
			t.Errorf("%q: %v", host, err)
		}
	}
	r := newRig(t, Options{Host: "0.0.0.0", Keys: keys(t)})
	// Any address is valid in Host there: it cannot be a name of somebody else's.
	if status, _, _ := r.ask("GET", "/healthz", "", "Host", "10.1.2.3"); status != 200 {
		t.Errorf("with another address as Host: %d", status)
	}
	if status, _, _ := r.ask("GET", "/healthz", "", "Host", "evil.com"); status != 403 {
		t.Errorf("with a foreign Host: %d", status)
	}
	var port int
	if _, err := fmt.Sscanf(r.addr[strings.LastIndexByte(r.addr, ':'):], ":%d", &port); err != nil {
		t.Fatal(err)
	}
	if l, err := r.Listen(t.Context(), port); err == nil || !strings.Contains(err.Error(), "another process listens on") {
		t.Errorf("taken port: %v, %v", l, err)
	}
}

// TestBadNames checks that hosts and origins that can never match are rejected.
func TestBadNames(t *testing.T) {
	for _, o := range []Options{
		{Hosts: []string{"http://a"}}, {Hosts: []string{"a:80"}}, {Hosts: []string{""}}, {Hosts: []string{"*"}},
		{Origins: []string{"a.com"}}, {Origins: []string{"*"}}, {Origins: []string{"https://a.com/"}}, {Origins: []string{"ftp://a"}},
	} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), "such as") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestTokenFile checks that invalid token files are rejected, and that a keyring follows
// the changes of its file.
func TestTokenFile(t *testing.T) {
	path := t.TempDir() + "/tokens"
	write := func(text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		text string
		mode os.FileMode
		want string
	}{
		{tokenFull, 0o644, "chmod 600"},
		{tokenFull, 0o660, "chmod 600"},
		{"", 0o600, "contains no tokens"},
		{"# nothing\n\n", 0o600, "contains no tokens"},
		{"short", 0o600, "5 characters"},
		{strings.Repeat("x", 600), 0o600, "600 characters"},
		{"secret with spaces 123456789", 0o600, "6 characters"},
		{"ümlaut-0123456789abcdefgh", 0o600, "other than letters"},
		{tokenFull + " " + tokenRead, 0o600, "one token on each line"},
		{"# a\n" + tokenFull + " scope=root", 0o600, `tokens:2: scope "root" is not one of full, read, watch, type`},
		{tokenFull + " expires=tomorrow", 0o600, "invalid time expires=tomorrow"},
		{strings.Repeat("#", maxTokenFile+1), 0o600, "more than"},
	} {
		write(tt.text, tt.mode)
		_, err := NewKeyring(path, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: %v, want %q", tt.text, err, tt.want)
		} else if strings.Contains(err.Error(), "0123456789") {
			t.Errorf("the error contains a token: %v", err)
		}
	}
	write("# no line feed", 0o600)
	if err := AppendToken(path, tokenFull, Scopes{ScopeFull}, keys(t).now().AddDate(1, 0, 0), "ci", ""); err != nil {
		t.Fatal(err)
	}
	k, err := NewKeyring(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	now := k.now()
	k.now = func() time.Time { return now }
	has := func(secret string, want error) {
		t.Helper()
		now = now.Add(checkEvery)
		if _, err := k.find(secret); err != want {
			t.Errorf("%s: %v, want %v", secret, err, want)
		}
	}
	has(tokenFull, nil)
	has(tokenRead, errUnknown)
	write(tokenFull+"\n"+tokenRead+" scope=read,type\n", 0o600)
	has(tokenRead, nil)
	write(tokenRead+" half=", 0o600) // the file is invalid while it is being written: the old tokens stay valid
	has(tokenFull, nil)
	write(tokenRead+" expires=2001-01-01T00:00:00Z", 0o600)
	has(tokenFull, errUnknown)
	has(tokenRead, errExpired)
	write("", 0o600)
	has(tokenRead, errUnknown)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	has(tokenRead, errUnknown)
	if k.Empty() {
		t.Error("a keyring whose file was removed is empty, and would let everybody in")
	}
}

func TestScopes(t *testing.T) {
	for _, tt := range []struct {
		have string
		want string // all scopes that it allows
	}{
		{"full", "full read watch type"}, {"read", "read watch"}, {"watch", "watch"}, {"type", "watch type"}, {"read,type", "read watch type"},
	} {
		s, err := ParseScopes(tt.have)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, scope := range []Scope{ScopeFull, ScopeRead, ScopeWatch, ScopeType} {
			if s.Allows(scope) {
				got = append(got, string(scope))
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s allows %v", tt.have, got)
		}
	}
	if (Scopes{}).Allows(ScopeWatch) {
		t.Error("no scopes allow watching")
	}
}
