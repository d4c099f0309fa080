package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/internal/httpserve"
)

// tokenCmd makes a token for HTTP clients.
type tokenCmd struct {
	File  string     `placeholder:"PATH" env:"GLASSTTY_TOKEN_FILE" help:"Add the token to this file; a new file gets mode 0600. A running server accepts the token within a second."`
	Scope scopes     `default:"full" placeholder:"SCOPE" help:"What the token allows: full, read (tools that only look), watch or type (in the live page), or several with commas (default ${default})."`
	For   lifetime   `placeholder:"TIME" help:"Lifetime of the token, such as 12h or 30d (default: unlimited)."`
	Hosts tokenHosts `placeholder:"HOST" help:"Limit the token to these hosts of a fleet: a name, a pattern or labels, such as build* or gpu=a100."`
	Name  tokenName  `placeholder:"NAME" help:"Name of the token in logs."`
}

// Help returns the command's longer description.
func (*tokenCmd) Help() string {
	return "It prints the token, which is not kept anywhere else unless --file is given. Give it to the server " +
		"with --token-file or GLASSTTY_TOKEN, and to the client as the header \"Authorization: Bearer TOKEN\". " +
		"To withdraw it, delete its line."
}

// scopes is httpserve's list of the same name.
type scopes struct{ httpserve.Scopes }

// UnmarshalText reads a list of scopes.
func (s *scopes) UnmarshalText(text []byte) (err error) {
	s.Scopes, err = httpserve.ParseScopes(string(text))
	return err
}

// A lifetime is a time such as 12h or 30d.
type lifetime time.Duration

// UnmarshalText reads a duration of Go, or a number of days.
func (l *lifetime) UnmarshalText(text []byte) error {
	var days int
	d, err := time.ParseDuration(string(text))
	if n, scanErr := fmt.Sscanf(string(text), "%dd", &days); n == 1 && scanErr == nil && fmt.Sprintf("%dd", days) == string(text) {
		d, err = time.Duration(days)*24*time.Hour, nil
	}
	if err != nil || d <= 0 || days > maxDays {
		return fmt.Errorf("invalid duration %q (examples: 12h, 30d; at most %dd)", text, maxDays)
	}
	*l = lifetime(d)
	return nil
}

// maxDays is the longest lifetime of a token that has one.
const maxDays = 3650

// tokenHosts are hosts as they can stand in a token file.
type tokenHosts string

// UnmarshalText reads a name, a pattern or labels.
func (h *tokenHosts) UnmarshalText(text []byte) error {
	if len(text) == 0 || strings.ContainsFunc(string(text), unicode.IsSpace) {
		return fmt.Errorf("invalid hosts %q (examples: build7, build*, gpu=a100; without blanks)", text)
	}
	*h = tokenHosts(text)
	return fleet.CheckHost(string(text))
}

// tokenName is a name that can stand in a token file.
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
	if c.File == "" {
		if c.Scope.String() != string(httpserve.ScopeFull) || c.For != 0 || c.Hosts != "" || c.Name != "" {
			return usageError{errors.New("--scope, --for, --hosts and --name are kept in a file: give --file too")}
		}
		_, err := fmt.Fprintln(std.out, secret)
		return err
	}
	var expires time.Time
	if c.For != 0 {
		expires = time.Now().Add(time.Duration(c.For))
	}
	if err := appendPrivate(c.File, httpserve.Line(secret, c.Scope.Scopes, expires, string(c.Name), string(c.Hosts))); err != nil {
		return err
	}
	_, err := fmt.Fprintln(std.out, secret)
	return err
}

// appendPrivate adds a line to a file that only this user can read; a new file is made if
// needed. Symbolic links are not followed.
func appendPrivate(path, line string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("token file: %w", err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("token file %s is not a regular file", path)
	case info.Mode().Perm()&0o077 != 0:
		err = fmt.Errorf("token file %s can be used by other users (%v); chmod 600 it", path, info.Mode().Perm())
	default:
		line, err = onNewLine(f, info.Size(), line)
	}
	if err == nil {
		_, err = f.WriteString(line)
	}
	return errors.Join(err, f.Close())
}

// onNewLine puts a newline before line when the file does not end with one.
func onNewLine(f *os.File, size int64, line string) (string, error) {
	if size == 0 {
		return line, nil
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], size-1); err != nil {
		return "", err
	}
	if last[0] != '\n' {
		line = "\n" + line
	}
	return line, nil
}
