package httpserve

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/share"
)

// Lifetimes and bounds of links and their cookies.
const (
	LinkLife   = 2 * time.Minute
	CookieLife = 12 * time.Hour
	maxLinks   = 1000
	maxCookies = 1000
)

// linkPath begins the path of every link.
const linkPath = "/link/"

// cookieName begins the name of a link's cookie. The server's port follows, because browsers
// share cookies between the ports of a host.
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

// A browser was let in by a link. It sends its cookie to servers on other ports of the host
// too, so the cookie is valid only together with a proof that the page keeps in local
// storage, which other origins cannot read.
type browser struct {
	who   Principal
	proof hash
	maker string // of the link
}

// A hash is the SHA-256 of a secret.
type hash [sha256.Size]byte

// hashOf returns a secret's hash.
func hashOf(secret string) hash { return sha256.Sum256([]byte(secret)) }

// links lets browsers in, which cannot send a token: a short-lived one-time code is
// exchanged for a cookie. Codes and cookies are kept as hashes. When there are too many, the
// maker with the most loses one. It is safe for concurrent use.
type links struct {
	now  func() time.Time
	path string // of the file with the cookies' hashes, "" for none

	saving sync.Mutex // held while that file is written

	mu       sync.Mutex // guards what follows
	codes    map[hash]link
	browsers map[hash]browser // by the cookie
	// codeShares and shares choose the one to drop.
	codeShares, shares *share.Table[hash]
}

// A link is an unused code.
type link struct {
	who   Principal
	until time.Time // the code's expiry
	maker string
}

func newLinks() *links {
	l := &links{now: time.Now, codes: map[hash]link{}, browsers: map[hash]browser{}}
	l.codeShares = share.New(maxLinks, func(h hash) { delete(l.codes, h) })
	l.shares = share.New(maxCookies, func(h hash) { delete(l.browsers, h) })
	return l
}

// Link returns the path of a link that works once, within LinkLife. It lets a browser in
// with these scopes for CookieLife, or until the time given if that is not zero and earlier.
// Links of one maker do not crowd out those of another.
func (s *Server) Link(maker, name string, scopes Scopes, until time.Time) (path string) {
	code := rand.Text()
	s.links.add(code, maker, Principal{ID: "link-" + rand.Text(), Name: name, Scopes: scopes, Expires: until})
	return linkPath + code
}

// add keeps a link's code.
func (l *links) add(code, maker string, p Principal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for h, old := range l.codes {
		if !now.Before(old.until) {
			l.dropCodeLocked(h)
		}
	}
	h := hashOf(code)
	l.codeShares.Add(h, share.Owner{Name: maker}) // always finds room: no code is ever busy
	l.codes[h] = link{p, now.Add(LinkLife), maker}
}

// dropCodeLocked forgets a code.
func (l *links) dropCodeLocked(h hash) {
	l.codeShares.Remove(h)
	delete(l.codes, h)
}

// A pass is the credentials of a browser.
type pass struct {
	cookie string
	proof  string // for the page alone
	who    Principal
}

// redeem uses up a code. The error is ErrLink.
func (l *links) redeem(code string) (pass, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	h := hashOf(code)
	used, ok := l.codes[h]
	l.dropCodeLocked(h)
	if !ok || !now.Before(used.until) {
		return pass{}, ErrLink
	}
	p := pass{cookie: rand.Text(), proof: rand.Text(), who: used.who}
	if end := now.Add(CookieLife); p.who.Expires.IsZero() || p.who.Expires.After(end) {
		p.who.Expires = end
	}
	for h, old := range l.browsers {
		if !now.Before(old.who.Expires) {
			l.dropLocked(h)
		}
	}
	l.keepLocked(hashOf(p.cookie), browser{p.who, hashOf(p.proof), used.maker})
	return p, nil
}

// keepLocked lets a browser in.
func (l *links) keepLocked(cookie hash, b browser) {
	l.shares.Add(cookie, share.Owner{Name: b.maker})
	l.browsers[cookie] = b
}

// dropLocked forgets a browser.
func (l *links) dropLocked(cookie hash) {
	l.shares.Remove(cookie)
	delete(l.browsers, cookie)
}

// forget takes a pass back.
func (l *links) forget(p pass) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropLocked(hashOf(p.cookie))
}

// The page sends its proof in a header, or as a parameter with a WebSocket or an event
// stream, which cannot have headers.
const (
	headerProof = "Glasstty-Proof"
	paramProof  = "proof"
)

// holder returns the sender of a request with a link's cookie and, unless the cookie alone
// is enough, the page's proof. The lookup by hash keeps its timing independent of the
// secrets.
func (l *links) holder(r *http.Request, alone bool) (Principal, bool) {
	c, err := r.Cookie(cookieOf(r))
	if err != nil {
		return Principal{}, false
	}
	proof := r.Header.Get(headerProof)
	if proof == "" {
		proof = r.URL.Query().Get(paramProof)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	cookie := hashOf(c.Value)
	b, ok := l.browsers[cookie]
	l.shares.Use(cookie)
	return b.who, ok && l.now().Before(b.who.Expires) && (alone || hashOf(proof) == b.proof)
}

// serveLink exchanges a link's code for a cookie and the page's proof. The cookie is
// SameSite=Lax: a strict one would not be sent when the link is clicked on another site. The
// Origin check stops requests of other sites.
func (s *Server) serveLink(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		// GET's pattern matches HEAD too, which must not use up the link.
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "only GET uses a link", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	p, err := s.links.redeem(r.PathValue("code"))
	if err != nil {
		s.refuse(w, r, refusedToken, http.StatusGone, fmt.Errorf("%w; ask for a new one: glasstty link prints it", err))
		return
	}
	if _, err := s.audit.Write(r.Context(), audit.Record{Event: "link.used", Actor: audit.Actor{Via: "http", Who: p.who.who(), From: r.RemoteAddr}, Args: map[string]any{"scope": p.who.Scopes.String()}}); err != nil {
		s.links.forget(p)
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if err := s.links.save(); err != nil {
		s.log.Warn("the next server will not know this browser", "err", err)
	}
	http.SetCookie(w, &http.Cookie{
		Name:     cookieOf(r),
		Value:    p.cookie,
		Path:     "/",
		Expires:  p.who.Expires,
		HttpOnly: true,
		Secure:   s.tls != nil,
		SameSite: http.SameSiteLaxMode,
	})
	// The fragment stays in the browser; the page reads and keeps it.
	http.Redirect(w, r, "/#"+paramProof+"="+p.proof, http.StatusSeeOther)
}
