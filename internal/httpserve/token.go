package httpserve

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Token lets its holder in. It keeps only the hash of the secret.
type Token struct {
	Name    string    // for logs; by default made from the hash
	Scopes  Scopes    // default ScopeFull
	Expires time.Time // zero: never
	Hosts   string    // of a fleet, to which it is limited; "" for no limit
	hash    [sha256.Size]byte
}

// tokenPrefix begins every generated token, so that secret scanners can recognise it.
const tokenPrefix = "glasstty_"

// NewSecret returns a new token's text: 260 random bits in letters and digits.
func NewSecret() string { return tokenPrefix + rand.Text() + rand.Text() }

// Bounds of a token's length, in bytes. The minimum withstands guessing at the rate of
// Limits.Guesses.
const (
	minSecret = 20
	maxSecret = 512
)

// secretForm is the form of a bearer token (RFC 6750, 2.1).
var secretForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`) })

// NewToken returns a token with this secret. The error never shows the secret.
func NewToken(secret string) (*Token, error) {
	switch {
	case len(secret) < minSecret:
		return nil, fmt.Errorf("the token has %d characters, fewer than %d; make one with glasstty token", len(secret), minSecret)
	case len(secret) > maxSecret:
		return nil, fmt.Errorf("the token has %d characters, more than %d; make one with glasstty token", len(secret), maxSecret)
	case !secretForm().MatchString(secret):
		return nil, errors.New("the token has characters other than letters, digits and -._~+/=; make one with glasstty token")
	}
	t := &Token{Scopes: Scopes{ScopeFull}, hash: sha256.Sum256([]byte(secret))}
	t.Name = "token-" + t.id()[:6]
	return t, nil
}

// same reports whether t and u have the same secret and permissions.
func (t *Token) same(u *Token) bool {
	return t.hash == u.hash && t.Expires.Equal(u.Expires) && t.Hosts == u.Hosts && slices.Equal(t.Scopes, u.Scopes)
}

// id identifies t without revealing the secret.
func (t *Token) id() string { return hex.EncodeToString(t.hash[:8]) }

// parseToken reads one line of a token file:
//
//	TOKEN [scope=read] [expires=2027-01-31T00:00:00Z] [name=NAME] [hosts=build*]
func parseToken(line string) (*Token, error) {
	fields := strings.Fields(line)
	t, err := NewToken(fields[0])
	if err != nil {
		return nil, err
	}
	for _, f := range fields[1:] {
		key, value, _ := strings.Cut(f, "=")
		switch key {
		case "scope":
			t.Scopes, err = ParseScopes(value)
		case "expires":
			t.Expires, err = time.Parse(time.RFC3339, value)
			if err != nil {
				err = fmt.Errorf("invalid time expires=%s (example: 2027-01-31T00:00:00Z)", value)
			}
		case "name":
			t.Name = value
		case "hosts":
			if t.Hosts = value; value == "" {
				err = errors.New("hosts= names no host (example: hosts=build*)")
			}
		default:
			// The word may be a second token: it is not repeated.
			err = errors.New("after the token come scope=, expires=, name= and hosts= alone, and one token stands in a line")
		}
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Line returns the line of a token file for a secret.
func Line(secret string, scopes Scopes, expires time.Time, name, hosts string) string {
	line := secret + " scope=" + scopes.String()
	if !expires.IsZero() {
		line += " expires=" + expires.UTC().Format(time.RFC3339)
	}
	if name != "" {
		line += " name=" + name
	}
	if hosts != "" {
		line += " hosts=" + hosts
	}
	return line + "\n"
}
