package httpserve

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestLink checks what a browser can do with a link, its cookie and its proof.
func TestLink(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t)})
	r.Handle("GET /page", Access{Scope: ScopeWatch, Cookies: true}, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if p := PrincipalOf(req.Context()); p.Name != "ada" || p.Scopes.Allows(ScopeType) {
			t.Errorf("principal %+v", p)
		}
	}))
	r.Handle("GET /file", Access{Scope: ScopeWatch, Cookies: true, WithoutProof: true}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	path := r.Link("me", "ada", Scopes{ScopeWatch}, time.Time{})
	if status, _, _ := r.ask("HEAD", path, ""); status == 303 {
		t.Error("HEAD uses up the link")
	}
	path = r.Link("me", "ada", Scopes{ScopeWatch}, time.Time{})
	used := path
	status, h, _ := r.ask("GET", path, "")
	cookie := h.Get("Set-Cookie")
	if status != 303 || !strings.HasPrefix(h.Get("Location"), "/#proof=") || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Lax") {
		t.Fatalf("%d %v", status, h)
	}
	cookie, _, _ = strings.Cut(cookie, ";")
	_, proof, _ := strings.Cut(h.Get("Location"), "=")
	if strings.Contains(path, cookie[strings.IndexByte(cookie, '=')+1:]) {
		t.Error("the cookie contains the link's code")
	}
	for name, header := range map[string][]string{"": {headerProof, proof}, "?proof=" + proof: nil} {
		if status, _, body := r.ask("GET", "/page"+name, "", append(header, "Cookie", cookie)...); status != 200 {
			t.Errorf("with cookie and proof%s: %d %s", name, status, body)
		}
	}
	// A server on another port of this host gets the cookie, but not the proof.
	if status, _, _ := r.ask("GET", "/file", "", "Cookie", cookie); status != 200 {
		t.Errorf("a file of the page: %d", status)
	}
	again := r.Link("me", "ada", Scopes{ScopeWatch}, time.Time{})
	_, h, _ = r.ask("GET", again, "")
	_, foreign, _ := strings.Cut(h.Get("Location"), "=")
	for _, proof := range []string{"", "wrong", foreign, cookie[strings.IndexByte(cookie, '=')+1:]} {
		if status, _, body := r.ask("GET", "/page", "", "Cookie", cookie, headerProof, proof); status != 401 || !strings.Contains(body, "glasstty link") {
			t.Errorf("with the cookie and the proof %q: %d %s", proof, status, body)
		}
	}
	other := newRig(t, Options{Keys: keys(t)})
	path = other.Link("me", "ada", Scopes{ScopeWatch}, time.Time{})
	if _, h, _ := other.ask("GET", path, ""); strings.HasPrefix(h.Get("Set-Cookie"), cookie[:strings.IndexByte(cookie, '=')+1]) {
		t.Error("the server on another port sets a cookie of the same name")
	}
	for name, header := range map[string][]string{
		"without": nil, "wrong": {"Cookie", cookie + "x"}, "wrong token beside it": {"Cookie", cookie, "Authorization", "Bearer x"},
	} {
		status, _, body := r.ask("GET", "/page", "", header...)
		if status != 401 || strings.Contains(body, "glasstty link") == strings.Contains(name, "token") {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if status, _, _ := r.ask("POST", "/mcp", initBody, post("Cookie", cookie)...); status != 401 {
		t.Errorf("/mcp with the cookie: %d", status)
	}
	if status, _, body := r.ask("GET", used, ""); status != 410 || !strings.Contains(body, "used") {
		t.Errorf("link used again: %d %s", status, body)
	}
}

// TestLinkWithoutTokens checks links at a server without tokens: a browser with a link has
// the link's rights, and other requests keep full rights.
func TestLinkWithoutTokens(t *testing.T) {
	r := newRig(t, Options{})
	var seen Principal
	r.Handle("GET /page", Access{Scope: ScopeWatch, Cookies: true}, http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		seen = PrincipalOf(req.Context())
	}))
	_, h, _ := r.ask("GET", r.Link("me", "ada", Scopes{ScopeWatch}, time.Time{}), "")
	cookie, _, _ := strings.Cut(h.Get("Set-Cookie"), ";")
	_, proof, _ := strings.Cut(h.Get("Location"), "=")
	for _, tt := range []struct {
		name, want string
		header     []string
	}{
		{"with the link", "ada", []string{"Cookie", cookie, headerProof, proof}},
		{"with none", "local", nil},
		{"with an old link", "local", []string{"Cookie", cookie + "x", headerProof, proof}},
	} {
		if status, _, _ := r.ask("GET", "/page", "", tt.header...); status != 200 || seen.Name != tt.want || seen.Scopes.Allows(ScopeType) != (tt.want == "local") {
			t.Errorf("%s: %d, %+v", tt.name, status, seen)
		}
	}
}

// TestLinkTimes checks that links and cookies expire.
func TestLinkTimes(t *testing.T) {
	l := newLinks()
	now := time.Now()
	l.now = func() time.Time { return now }
	req := func(p credentials) *http.Request {
		return &http.Request{URL: &url.URL{RawQuery: "proof=" + p.proof}, Header: http.Header{"Cookie": {cookieName + "=" + p.cookie}}}
	}
	for code, until := range map[string]time.Time{"long": {}, "short": now.Add(time.Hour), "late": {}} {
		l.add(code, "me", Principal{Name: code, Expires: until})
	}
	long, err := l.redeem("long")
	if err != nil {
		t.Fatal(err)
	}
	short, err := l.redeem("short")
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(LinkLifetime)
	if _, err := l.redeem("late"); !errors.Is(err, errLink) {
		t.Errorf("expired link: %v", err)
	}
	now = now.Add(time.Hour)
	if _, ok := l.principal(req(short), false); ok {
		t.Error("the cookie is valid after the link's time")
	}
	if p, ok := l.principal(req(long), false); !ok || p.Name != "long" {
		t.Errorf("the other cookie: %+v %v", p, ok)
	}
	now = now.Add(CookieLifetime)
	if _, ok := l.principal(req(long), false); ok {
		t.Error("the cookie is valid after CookieLifetime")
	}
}

// TestLinkLimits checks that too many links and cookies replace the oldest of the same
// maker, and not those of others.
func TestLinkLimits(t *testing.T) {
	t.Parallel()
	l := newLinks()
	now := time.Now()
	l.now = func() time.Time { return now }
	l.add("mine", "a person", Principal{Name: "mine"})
	for n := range maxLinks + 1 {
		l.add(fmt.Sprint(n), "a session", Principal{})
	}
	if l.codes.Len() != maxLinks {
		t.Errorf("%d codes, want %d", l.codes.Len(), maxLinks)
	}
	mine, err := l.redeem("mine")
	if err != nil {
		t.Fatalf("a person's link: %v", err)
	}
	if _, err := l.redeem("0"); !errors.Is(err, errLink) {
		t.Errorf("the oldest of too many: %v", err)
	}
	var first credentials
	for n := range maxCookies + 1 {
		now = now.Add(time.Millisecond)
		l.add("code", "a session", Principal{})
		p, err := l.redeem("code")
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			first = p
		}
	}
	if l.browsers.Len() != maxCookies {
		t.Errorf("%d cookies, want %d", l.browsers.Len(), maxCookies)
	}
	has := func(p credentials) bool {
		_, ok := l.principal(&http.Request{URL: &url.URL{}, Header: http.Header{"Cookie": {cookieName + "=" + p.cookie}}}, true)
		return ok
	}
	if has(first) || !has(mine) {
		t.Errorf("oldest cookie still valid: %v, want false; person's cookie valid: %v, want true", has(first), has(mine))
	}
}
