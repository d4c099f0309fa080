package httpserve

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/share"
)

// Lifetimes of, and limits on, links and their cookies.
const (
	LinkLifetime   = 2 * time.Minute
	CookieLifetime = 12 * time.Hour
	maxLinks       = 1000
	maxCookies     = 1000
)

// linkPath is the prefix of the path of every link.
const linkPath = "/link/"

// cookieName is the prefix of the name of a link's cookie. The server's port follows, because
// browsers share cookies between the ports of a host.
const cookieName = "glasstty-"

// cookieOf returns the name of the cookie for the server that received r.
func cookieOf(r *http.Request) string {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if addr == nil {
		return cookieName
	}
	_, port, _ := net.SplitHostPort(addr.String())
	return cookieName + port
}

// A browser is a web browser that was let in by a link. It sends its cookie also to servers on
// other ports of the host, so the cookie is valid only together with a proof that the page
// keeps in local storage, which other origins cannot read. As JSON it is an element of the file
// Options.BrowsersFile.
type browser struct {
	Cookie hash `json:"hash"`
	Principal
	Proof hash   `json:"proof"`
	Maker string `json:"maker,omitempty"` // the client that made the link
}

// A hash is the SHA-256 of a secret, in hexadecimal.
type hash string

func hashOf(secret string) hash {
	sum := sha256.Sum256([]byte(secret))
	return hash(hex.EncodeToString(sum[:]))
}

// links lets in browsers, which cannot send a token: it exchanges a code, which works once and for a short
// time, for a cookie. It keeps only hashes of codes and cookies. Expired hashes stay until there are too many:
// then the client that made the most links loses the least recently used one. links is safe for concurrent use.
type links struct {
	now  func() time.Time
	path string // the file with the cookies' hashes, or ""

	saving sync.Mutex // locked while the file at path is written

	codes    *share.Table[hash, link]
	browsers *share.Table[hash, browser] // by the cookie's hash
}

// A link describes an unused code.
type link struct {
	principal Principal
	expires   time.Time // when the code expires
	maker     string    // the client that made the link
}

func newLinks() *links {
	return &links{
		now:      time.Now,
		codes:    share.New(maxLinks, func(hash, link) {}),
		browsers: share.New(maxCookies, func(hash, browser) {}),
	}
}

// Link returns the path of a link that works once, within LinkLifetime. The link lets a browser in
// with these scopes, for at most CookieLifetime and, if until is not zero, not after until. maker is
// the client that asks for the link. If there are too many links, the maker of the most loses one.
func (s *Server) Link(maker, name string, scopes Scopes, until time.Time) (path string) {
	code := rand.Text()
	s.links.add(code, maker, Principal{ID: "link-" + rand.Text(), Name: name, Scopes: scopes, Expires: until})
	return linkPath + code
}

func (l *links) add(code, maker string, p Principal) {
	// Add cannot fail: codes are never busy, so one can always be dropped.
	l.codes.Add(hashOf(code), link{p, l.now().Add(LinkLifetime), maker}, share.Owner{Name: maker})
}

// credentials are the secrets of a browser that was let in.
type credentials struct {
	cookie    string
	proof     string // for the page alone; the browser does not send it by itself
	principal Principal
}

// redeem exchanges a code for credentials, and removes the code. For an unknown or expired code, the
// error is errLink.
func (l *links) redeem(code string) (credentials, error) {
	now := l.now()
	h := hashOf(code)
	used, _ := l.codes.Get(h)
	if !l.codes.Remove(h) || !now.Before(used.expires) {
		return credentials{}, errLink
	}
	p := credentials{cookie: rand.Text(), proof: rand.Text(), principal: used.principal}
	if end := now.Add(CookieLifetime); p.principal.Expires.IsZero() || p.principal.Expires.After(end) {
		p.principal.Expires = end
	}
	l.browsers.Add(hashOf(p.cookie), browser{hashOf(p.cookie), p.principal, hashOf(p.proof), used.maker}, share.Owner{Name: used.maker})
	return p, nil
}

// The page sends its proof in a header. For a WebSocket or an event stream, whose headers a
// page cannot set, it uses a query parameter.
const (
	headerProof = "Glasstty-Proof"
	paramProof  = "proof"
)

// principal returns the sender of a request, and whether the request has a valid cookie of a link
// and, unless withoutProof is true, the page's proof. Its timing does not depend on the secrets,
// because it looks up hashes.
func (l *links) principal(r *http.Request, withoutProof bool) (Principal, bool) {
	c, err := r.Cookie(cookieOf(r))
	if err != nil {
		return Principal{}, false
	}
	proof := r.Header.Get(headerProof)
	if proof == "" {
		proof = r.URL.Query().Get(paramProof)
	}
	cookie := hashOf(c.Value)
	b, ok := l.browsers.Get(cookie)
	l.browsers.Use(cookie)
	return b.Principal, ok && l.now().Before(b.Expires) && (withoutProof || hashOf(proof) == b.Proof)
}

// serveLink exchanges a link's code for a cookie and the page's proof. The cookie is
// SameSite=Lax, because a strict one would not be sent when the link is clicked on another
// site. The Origin check stops requests from other sites.
func (s *Server) serveLink(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		// The pattern for GET also matches HEAD, which must not use up the link.
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "only GET uses a link", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	p, err := s.links.redeem(r.PathValue("code"))
	if err != nil {
		s.refuse(w, r, refusedToken, http.StatusGone, fmt.Errorf("%w: it works once, within two minutes, and a program that shows previews of links may use it up; glasstty link prints a new one", err))
		return
	}
	used := audit.Record{Event: "link.used", Actor: actorOf(p.principal, r.RemoteAddr), Args: map[string]any{"scope": p.principal.Scopes.String()}}
	if _, err := s.opt.Audit.Write(r.Context(), used); err != nil {
		s.links.browsers.Remove(hashOf(p.cookie))
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if err := s.links.save(); err != nil {
		s.opt.Logger.Warn("the next server will not know this browser", "err", err)
	}
	http.SetCookie(w, &http.Cookie{
		Name:     cookieOf(r),
		Value:    p.cookie,
		Path:     "/",
		Expires:  p.principal.Expires,
		HttpOnly: true,
		Secure:   s.opt.TLS != nil,
		SameSite: http.SameSiteLaxMode,
	})
	// The browser does not send the fragment (#…) to servers; the page reads the proof in it and keeps it.
	http.Redirect(w, r, "/#"+paramProof+"="+p.proof, http.StatusSeeOther)
}
