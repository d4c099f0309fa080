package httpserve

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestLink uses a link as a browser does.
func TestLink(t *testing.T) {
	r := newRig(t, Options{Keys: keys(t)})
	r.Handle("GET /page", Access{Scope: ScopeWatch, Cookies: true}, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if p := PrincipalOf(req.Context()); p.Name != "ada" || p.Scopes.Allow(ScopeType) {
			t.Errorf("the page is seen by %+v", p)
		}
	}))
	path, err := r.Link("ada", Scopes{ScopeWatch}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if status, _, _ := r.ask("HEAD", path, ""); status == 303 {
		t.Error("looking whether the link is there uses it up")
	}
	path, err = r.Link("ada", Scopes{ScopeWatch}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	used := path
	status, h, _ := r.ask("GET", path, "")
	cookie := h.Get("Set-Cookie")
	if status != 303 || h.Get("Location") != "/" || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Lax") {
		t.Fatalf("%d %v", status, h)
	}
	cookie, _, _ = strings.Cut(cookie, ";")
	if strings.Contains(path, cookie[strings.IndexByte(cookie, '=')+1:]) {
		t.Error("the cookie is the link's code")
	}
	if status, _, body := r.ask("GET", "/page", "", "Cookie", cookie); status != 200 {
		t.Errorf("with the cookie: %d %s", status, body)
	}
	other := newRig(t, Options{Keys: keys(t)})
	if path, err = other.Link("ada", Scopes{ScopeWatch}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, h, _ := other.ask("GET", path, ""); strings.HasPrefix(h.Get("Set-Cookie"), cookie[:strings.IndexByte(cookie, '=')+1]) {
		t.Error("the server on another port gives a cookie of the same name")
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
		t.Errorf("the cookie opens /mcp: %d", status)
	}
	if status, _, body := r.ask("GET", used, ""); status != 410 || !strings.Contains(body, "used") {
		t.Errorf("used again: %d %s", status, body)
	}
}

// TestLinkTimes lets links and cookies end.
func TestLinkTimes(t *testing.T) {
	l := newLinks()
	now := time.Now()
	l.now = func() time.Time { return now }
	req := func(secret string) *http.Request {
		return &http.Request{Header: http.Header{"Cookie": {cookieName + "=" + secret}}}
	}
	for code, until := range map[string]time.Time{"long": {}, "short": now.Add(time.Hour), "late": {}} {
		if err := l.add(code, Principal{Name: code, Expires: until}); err != nil {
			t.Fatal(err)
		}
	}
	long, _, err := l.redeem("long")
	if err != nil {
		t.Fatal(err)
	}
	short, _, err := l.redeem("short")
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(LinkLife)
	if _, _, err := l.redeem("late"); !errors.Is(err, ErrLink) {
		t.Errorf("a link that is too old: %v", err)
	}
	now = now.Add(time.Hour)
	if _, ok := l.holder(req(short)); ok {
		t.Error("the cookie outlives the time given")
	}
	if p, ok := l.holder(req(long)); !ok || p.Name != "long" {
		t.Errorf("the other cookie: %+v %v", p, ok)
	}
	now = now.Add(CookieLife)
	if _, ok := l.holder(req(long)); ok {
		t.Error("the cookie outlives CookieLife")
	}
}

// TestLinkLimits makes more links and cookies than may be.
func TestLinkLimits(t *testing.T) {
	l := newLinks()
	for range maxLinks {
		if err := l.add(NewSecret(), Principal{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.add("more", Principal{}); !errors.Is(err, ErrTooManyLinks) {
		t.Errorf("one more: %v", err)
	}
	l = newLinks()
	now := time.Now()
	l.now = func() time.Time { return now }
	var first string
	for i := range maxCookies + 1 {
		now = now.Add(time.Millisecond)
		if err := l.add("code", Principal{}); err != nil {
			t.Fatal(err)
		}
		secret, _, err := l.redeem("code")
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = secret
		}
	}
	if len(l.cookies) != maxCookies {
		t.Errorf("%d cookies", len(l.cookies))
	}
	if _, ok := l.holder(&http.Request{Header: http.Header{"Cookie": {cookieName + "=" + first}}}); ok {
		t.Error("the oldest cookie is kept")
	}
}
