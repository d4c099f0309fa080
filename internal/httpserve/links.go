package httpserve

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/glasstty/glasstty/internal/audit"
)

// How long links and the cookies that they give are good, and how many of them
// there may be.
const (
	LinkLife   = 2 * time.Minute
	CookieLife = 12 * time.Hour
	maxLinks   = 1000
	maxCookies = 1000
)

// linkPath begins the path of every link.
const linkPath = "/link/"

// cookieName begins the name of the cookie of a browser that came by a link. The
// server's port follows: browsers keep one jar for all ports of a host.
const cookieName = "glasstty-"

// cookieOf returns the name of the cookie of the server that r has reached.
func cookieOf(r *http.Request) string {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if addr == nil {
		return cookieName
	}
	_, port, _ := net.SplitHostPort(addr.String())
	return cookieName + port
}

// links lets browsers in, which can send no token: a short-lived code that is
// good once is exchanged for a cookie. Codes and cookies are kept as hashes. It
// is safe for concurrent use.
type links struct {
	now  func() time.Time
	path string // of the file with the cookies' hashes, "" for none

	saving sync.Mutex // held while that file is written

	mu      sync.Mutex // guards what follows
	codes   map[[sha256.Size]byte]link
	cookies map[[sha256.Size]byte]Principal
}

// A link is a code that has not been used yet.
type link struct {
	who   Principal
	until time.Time // when the code ends
}

func newLinks() *links {
	return &links{now: time.Now, codes: map[[sha256.Size]byte]link{}, cookies: map[[sha256.Size]byte]Principal{}}
}

// Link returns the path of a link that is good once, within LinkLife, and lets a
// browser do what scopes say for CookieLife, or until the time given, if that is
// not zero and earlier. The error is ErrTooManyLinks.
func (s *Server) Link(name string, scopes Scopes, until time.Time) (path string, err error) {
	code := rand.Text()
	p := Principal{ID: "link-" + rand.Text(), Name: name, Scopes: scopes, Expires: until}
	if err := s.links.add(code, p); err != nil {
		return "", err
	}
	return linkPath + code, nil
}

// add keeps a link's code.
func (l *links) add(code string, p Principal) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	maps.DeleteFunc(l.codes, func(_ [sha256.Size]byte, old link) bool { return !now.Before(old.until) })
	if len(l.codes) >= maxLinks {
		return ErrTooManyLinks
	}
	l.codes[sha256.Sum256([]byte(code))] = link{p, now.Add(LinkLife)}
	return nil
}

// redeem uses up a code and returns the cookie's value for it. The oldest cookie
// goes when there are maxCookies. The error is ErrLink.
func (l *links) redeem(code string) (secret string, p Principal, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	hash := sha256.Sum256([]byte(code))
	used, ok := l.codes[hash]
	delete(l.codes, hash)
	if !ok || !now.Before(used.until) {
		return "", Principal{}, ErrLink
	}
	p = used.who
	if end := now.Add(CookieLife); p.Expires.IsZero() || p.Expires.After(end) {
		p.Expires = end
	}
	maps.DeleteFunc(l.cookies, func(_ [sha256.Size]byte, old Principal) bool { return !now.Before(old.Expires) })
	if len(l.cookies) >= maxCookies {
		l.dropOldestLocked()
	}
	secret = rand.Text()
	l.cookies[sha256.Sum256([]byte(secret))] = p
	return secret, p, nil
}

// dropOldestLocked forgets the cookie that would end first.
func (l *links) dropOldestLocked() {
	var first [sha256.Size]byte
	var end time.Time
	for hash, p := range l.cookies {
		if end.IsZero() || p.Expires.Before(end) {
			first, end = hash, p.Expires
		}
	}
	delete(l.cookies, first)
}

// forget takes a cookie back.
func (l *links) forget(secret string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.cookies, sha256.Sum256([]byte(secret)))
}

// holder returns who sent a request with a link's cookie. The lookup is by hash,
// so that its time tells nothing about the secret.
func (l *links) holder(r *http.Request) (Principal, bool) {
	c, err := r.Cookie(cookieOf(r))
	if err != nil {
		return Principal{}, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.cookies[sha256.Sum256([]byte(c.Value))]
	return p, ok && l.now().Before(p.Expires)
}

// serveLink exchanges a link's code for a cookie. The cookie is Lax, as links are
// clicked in other pages too: a strict one would not be sent with the page that
// follows. What other pages could do with it the check of the Origin stops.
func (s *Server) serveLink(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		// HEAD comes with GET's pattern, and must not use the link up.
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "only GET uses a link", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	secret, p, err := s.links.redeem(r.PathValue("code"))
	if err != nil {
		s.refuse(w, r, refusedToken, http.StatusGone, fmt.Errorf("%w; ask for a new one: glasstty link prints it", err))
		return
	}
	if _, err := s.audit.Write(r.Context(), audit.Record{Event: "link.used", Actor: audit.Actor{Via: "http", Who: p.who(), From: r.RemoteAddr}, Args: map[string]any{"scope": p.Scopes.String()}}); err != nil {
		s.links.forget(secret)
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if err := s.links.save(); err != nil {
		s.log.Warn("the next server will not know this browser", "err", err)
	}
	http.SetCookie(w, &http.Cookie{
		Name:     cookieOf(r),
		Value:    secret,
		Path:     "/",
		Expires:  p.Expires,
		HttpOnly: true,
		Secure:   s.tls != nil,
		SameSite: http.SameSiteLaxMode,
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
