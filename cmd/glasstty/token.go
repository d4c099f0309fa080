package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/internal/httpserve"
)

// tokenCmd makes a token for HTTP clients.
type tokenCmd struct {
	File  string           `placeholder:"PATH" env:"GLASSTTY_TOKEN_FILE" help:"Add the token to this file; a new file gets mode 0600. A running server accepts the token within a second."`
	Scope httpserve.Scopes `default:"full" placeholder:"SCOPE" help:"What the token allows: full, read (tools that only look), watch or type (in the live page), or several with commas (default ${default})."`
	For   lifetime         `placeholder:"TIME" help:"Lifetime of the token, such as 12h or 30d (default: unlimited)."`
	Hosts hosts            `placeholder:"HOST" help:"Limit the token to these hosts of a fleet: a name, a pattern or labels, such as build* or gpu=a100."`
	Name  tokenName        `placeholder:"NAME" help:"Name of the token in logs."`
}

// A lifetime is a duration such as 12h or 30d.
type lifetime time.Duration

// UnmarshalText reads a Go duration, or a whole number of days, from a second to maxDays days.
func (l *lifetime) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(min(n, maxDays+1)) * day
	}
	if err != nil || d < time.Second || d > maxDays*day {
		return fmt.Errorf("%q is not a duration from 1s to %dd (examples: 12h, 30d)", text, maxDays)
	}
	*l = lifetime(d)
	return nil
}

const (
	day = 24 * time.Hour
	// maxDays is the longest lifetime of a token that has one.
	maxDays = 3650
)

// A hosts value selects hosts of a fleet, in a form that a token file can contain.
type hosts string

// UnmarshalText reads a name, a pattern or labels.
func (h *hosts) UnmarshalText(text []byte) error {
	if len(text) == 0 || strings.ContainsFunc(string(text), unicode.IsSpace) {
		return fmt.Errorf("invalid hosts %q (examples: build7, build*, gpu=a100; without blanks)", text)
	}
	*h = hosts(text)
	return fleet.CheckHost(string(text))
}

// A tokenName is a name that a token file can contain.
type tokenName string

// nameForm is the form of a token's name.
var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._@-]{1,64}$`) })

// UnmarshalText reads a name.
func (n *tokenName) UnmarshalText(text []byte) error {
	if !nameForm().Match(text) {
		return fmt.Errorf("%q is not a name of up to 64 letters, digits and ._@-", text)
	}
	*n = tokenName(text)
	return nil
}

func (c *tokenCmd) run(_ context.Context, std stdio) error {
	secret := httpserve.NewSecret()
	if c.File == "" && (c.Scope.String() != string(httpserve.ScopeFull) || c.For != 0 || c.Hosts != "" || c.Name != "") {
		return usageError(errors.New("--scope, --for, --hosts and --name are kept in a file: give --file too"))
	}
	if c.File != "" {
		var expires time.Time
		if c.For != 0 {
			expires = time.Now().Add(time.Duration(c.For))
		}
		if err := httpserve.AppendToken(c.File, secret, c.Scope, expires, string(c.Name), string(c.Hosts)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(std.out, secret)
	return err
}
