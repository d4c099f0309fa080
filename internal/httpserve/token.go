package httpserve

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A Token gives its holder permissions. It contains only the hash of the secret.
type Token struct {
	Name    string    // for logs; by default token- and the start of the hash
	Scopes  Scopes    // default ScopeFull
	Expires time.Time // zero if never
	Hosts   string    // hosts of a fleet to which the token is limited; "" for no limit
	hash    hash
}

// tokenPrefix is the prefix of every generated token. Secret scanners can recognise it.
const tokenPrefix = "glasstty_"

// NewSecret returns a new random secret of 260 bits, with tokenPrefix.
func NewSecret() string { return tokenPrefix + rand.Text() + rand.Text() }

// Limits on the length of a token in bytes. Guessing at the rate of Limits.Guesses does not find a
// random token of the minimum length.
const (
	minSecret = 20
	maxSecret = 512
)

// secretChars are the characters of a bearer token, which may end with = (RFC 6750, section 2.1).
const secretChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/"

// NewToken returns a token with this secret. The error never shows the secret.
func NewToken(secret string) (*Token, error) {
	switch {
	case len(secret) < minSecret:
		return nil, fmt.Errorf("the token has %d characters, fewer than %d; make one with glasstty token", len(secret), minSecret)
	case len(secret) > maxSecret:
		return nil, fmt.Errorf("the token has %d characters, more than %d; make one with glasstty token", len(secret), maxSecret)
	case strings.Trim(strings.TrimRight(secret, "="), secretChars) != "":
		return nil, errors.New("the token has characters other than letters, digits and -._~+/=; make one with glasstty token")
	}
	t := &Token{Scopes: Scopes{ScopeFull}, hash: hashOf(secret)}
	t.Name = "token-" + t.id()[:6]
	return t, nil
}

// same reports whether t and u have the same secret, expiry, hosts and scopes.
func (t *Token) same(u *Token) bool {
	return t.hash == u.hash && t.Expires.Equal(u.Expires) && t.Hosts == u.Hosts && slices.Equal(t.Scopes, u.Scopes)
}

// id identifies t without revealing the secret.
func (t *Token) id() string { return string(t.hash[:16]) }

// parseToken parses one line of a token file:
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
			// The error does not quote the word, which may be a second token.
			err = errors.New("want one token on each line, followed only by scope=, expires=, name= and hosts=")
		}
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// AppendToken appends a token with this secret to a token file, which it creates if needed. It
// does not follow symbolic links.
func AppendToken(path, secret string, scopes Scopes, expires time.Time, name, hosts string) error {
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
	f, info, err := openPrivate(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW)
	if err != nil {
		return fmt.Errorf("token file: %w", err)
	}
	var last [1]byte
	if info.Size() > 0 {
		if _, err = f.ReadAt(last[:], info.Size()-1); last[0] != '\n' {
			line = "\n" + line
		}
	}
	if err == nil {
		_, err = f.WriteString(line + "\n")
	}
	return errors.Join(err, f.Close())
}
