package httpserve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/internal/share"
)

// A Principal is the sender of a request.
type Principal struct {
	ID      string    `json:"id"`             // the same for all requests with one token or one link's cookie
	Name    string    `json:"name,omitempty"` // of the token or link, for logs
	Scopes  Scopes    `json:"scopes"`         // permissions
	Expires time.Time `json:"until"`          // when the token or cookie expires; zero if never
	Hosts   string    `json:"-"`              // hosts of a fleet to which the token is limited; "" for no limit

	from  string       // the address that the request came from
	conn  *limitedConn // the connection of the request; nil for the zero Principal
	token *Token       // nil if the request has none
}

// Within reports whether the request comes from one of the processes of Options.Within. It reports
// true also for a process on this machine that cannot be identified, but only on Linux.
func (p Principal) Within() bool { return p.conn != nil && p.conn.within() }

// localUser is the sender of requests to a server that requires no token.
var localUser = Principal{ID: "local", Name: "local", Scopes: Scopes{ScopeFull}}

// principalKey is the context key for the Principal.
type principalKey struct{}

// PrincipalOf returns the sender of the request that ctx belongs to, or the zero Principal,
// which has no permissions.
func PrincipalOf(ctx context.Context) Principal {
	p, _ := ctx.Value(principalKey{}).(Principal)
	return p
}

// The reasons for refusals in /metrics.
const (
	refusedHost    = "host"
	refusedOrigin  = "origin"
	refusedToken   = "token"
	refusedUser    = "user"
	refusedScope   = "scope"
	refusedRate    = "rate"
	refusedConns   = "connections"
	refusedBody    = "body"
	refusedCalls   = "calls"
	refusedClients = "clients"
	refusedStop    = "stopping"
)

// refuse answers a request with an error, and counts and logs the refusal.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, reason string, status int, why error) {
	s.metrics.count(1, refusals, reason)
	s.opt.Logger.Info("refused", "reason", reason, "from", hostOf(r), "method", r.Method, "path", clip(r.URL.Path))
	s.auditRefusal(actorOf(PrincipalOf(r.Context()), r.RemoteAddr), reason+": "+why.Error(), r.Method+" "+clip(r.URL.Path))
	if r.ContentLength != 0 {
		// Otherwise http.Server would read the rest of the body before it answers.
		w.Header().Set("Connection", "close")
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	http.Error(w, why.Error(), status)
}

// clipLen is the maximum number of bytes of a text from a request that a log or an answer quotes.
const clipLen = 80

func clip(s string) string { return runes.Clip(s, clipLen) }

// guard passes on requests with an allowed Host and Origin until the server stops. It answers CORS
// preflight requests.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.stopping.Err() != nil:
			w.Header().Set("Connection", "close")
			s.refuse(w, r, refusedStop, http.StatusServiceUnavailable, errStopping)
			return
		case !s.hosts.allowed(r.Host):
			s.refuse(w, r, refusedHost, http.StatusForbidden,
				fmt.Errorf("host %q is not served here; start the server with --allow-host for another name of it", clip(r.Host)))
			return
		case !s.origins.allowed(r):
			s.refuse(w, r, refusedOrigin, http.StatusForbidden,
				fmt.Errorf("pages of %q may not use this server; start it with --allow-origin to let them", clip(r.Header.Get("Origin"))))
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if s.origins.preflight(w, r) {
			return
		}
		next.ServeHTTP(&writer{w, s.opt.Limits.WriteTimeout}, r)
	})
}

// authorize passes on the requests whose senders have the permission a, may use this host, and do
// not exceed their rate.
func (s *Server) authorize(a Access, next http.Handler) http.Handler {
	want := a.Scope
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := s.principal(r, a)
		if err != nil {
			s.unauthorized(w, r, err)
			return
		}
		if !p.Scopes.Allows(want) {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="glasstty", error="insufficient_scope", scope=%q`, want))
			s.refuse(w, r, refusedScope, http.StatusForbidden,
				fmt.Errorf("the token's scope is %s; %s is needed here", p.Scopes, want))
			return
		}
		if p.Hosts != "" && (s.opt.ServesHosts == nil || !s.opt.ServesHosts(p.Hosts)) {
			s.refuse(w, r, refusedScope, http.StatusForbidden,
				fmt.Errorf("the token is limited to the hosts %q of a fleet, and this server is not one of them; use the token at one of them or at a gateway", p.Hosts))
			return
		}
		if !s.rates.allow(p.ID + " " + hostOf(r)) {
			s.refuse(w, r, refusedRate, http.StatusTooManyRequests,
				fmt.Errorf("more than %g requests a second; wait a moment", s.opt.Limits.Rate))
			return
		}
		p.from = r.RemoteAddr
		p.conn = connOf(r)
		s.conns.Begin(p.conn, share.Owner{Name: p.ID, Source: hostOf(r)})
		defer s.conns.End(p.conn)
		ctx, done := s.opt.Keys.whileValid(context.WithValue(r.Context(), principalKey{}, p), p)
		defer done()
		// When the token becomes invalid, stop reading the request's body.
		defer context.AfterFunc(ctx, func() {
			if !tokenEnded(ctx) {
				return
			}
			if err := http.NewResponseController(w).SetReadDeadline(time.Now()); err != nil {
				s.opt.Logger.Debug("end a request", "err", err)
			}
		})()
		next.ServeHTTP(w, r.WithContext(ctx))
		if tokenEnded(ctx) {
			endConn(r)
		}
	})
}

// tokenEnded reports whether a request's context has ended because its token has become
// invalid.
func tokenEnded(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return errors.Is(cause, errExpired) || errors.Is(cause, errWithdrawn)
}

// principal returns the sender of r, or an error if r has neither a valid token nor a cookie that a
// allows. On a server without tokens, the sender may have neither, and the error is that of checkUser.
func (s *Server) principal(r *http.Request, a Access) (Principal, error) {
	if s.opt.Keys.Empty() {
		if p, ok := s.links.principal(r, a.WithoutProof); ok && a.Cookies {
			return p, connOf(r).checkUser() // with the link's permissions
		}
		return localUser, connOf(r).checkUser()
	}
	auth := r.Header.Get("Authorization")
	if auth == "" && a.Cookies {
		if p, ok := s.links.principal(r, a.WithoutProof); ok {
			return p, nil
		}
	}
	kind, secret, _ := strings.Cut(auth, " ")
	if !strings.EqualFold(kind, "Bearer") || len(r.Header.Values("Authorization")) > 1 {
		if a.Cookies && auth == "" {
			return Principal{}, errNoLink
		}
		return Principal{}, errNoBearer
	}
	// A valid token is accepted even from an address with too many guesses, because clients
	// may share an address.
	t, err := s.opt.Keys.find(secret)
	switch {
	case err == nil:
		return Principal{ID: t.id(), Name: t.Name, Scopes: t.Scopes, Expires: t.Expires, Hosts: t.Hosts, token: t}, nil
	case !s.guesses.allow(hostOf(r)):
		return Principal{}, errTooManyGuesses
	}
	return Principal{}, err
}

// unauthorized answers a request without a valid token (RFC 6750, section 3).
func (s *Server) unauthorized(w http.ResponseWriter, r *http.Request, err error) {
	if s.opt.Keys.Empty() {
		s.refuse(w, r, refusedUser, http.StatusForbidden, err) // no token would help
		return
	}
	if errors.Is(err, errTooManyGuesses) {
		s.refuse(w, r, refusedToken, http.StatusTooManyRequests, err)
		return
	}
	challenge := `Bearer realm="glasstty"`
	if !errors.Is(err, errNoBearer) && !errors.Is(err, errNoLink) {
		challenge += fmt.Sprintf(`, error="invalid_token", error_description=%q`, err)
	}
	w.Header().Set("WWW-Authenticate", challenge)
	s.refuse(w, r, refusedToken, http.StatusUnauthorized, err)
}
