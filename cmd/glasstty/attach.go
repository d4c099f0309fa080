package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/user"
	"strings"
	"time"

	"github.com/glasstty/glasstty/cmd/glasstty/attach"
	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/localsock"
)

// attachCmd shows a session in this terminal and lets a person type into it.
type attachCmd struct {
	Session   string    `arg:"" help:"The session's id or name; glasstty ls lists them."`
	Socket    string    `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"The server's socket (default: those of all servers of this user)."`
	ReadOnly  bool      `short:"r" help:"Watch, do not type."`
	Force     bool      `help:"Take the keyboard from another person."`
	Resize    bool      `help:"Give the session this terminal's size."`
	DetachKey detachKey `default:"ctrl+]" placeholder:"KEY" help:"The key that detaches (default ${default})."`
	Note      string    `placeholder:"TEXT" help:"What to tell the agent at the end."`
}

// Help returns the command's longer description.
func (*attachCmd) Help() string {
	return "Keys go to the program, whose agent cannot type meanwhile. The detach key gives the keyboard back; " +
		"so does the end of this command, some time after. What is typed at a password prompt is in no log, " +
		"and the agent does not see it."
}

// A detachKey is the key that detaches, and its name.
type detachKey struct {
	key  emulator.Key
	name string
}

// UnmarshalText reads a key's name.
func (k *detachKey) UnmarshalText(text []byte) error {
	key, n, err := emulator.ParseKey(string(text))
	if err != nil {
		return err
	}
	if n != 1 {
		return fmt.Errorf("%q is not one key press", text)
	}
	*k = detachKey{key, string(text)}
	return nil
}

func (c *attachCmd) run(ctx context.Context, std stdio) error {
	found, err := findSession(ctx, c.Socket, c.Session)
	if err != nil {
		return err
	}
	t, err := attach.Open(std.in, std.out)
	if err != nil {
		return err
	}
	err = errors.Join(c.attach(ctx, t, found), t.Restore())
	if errors.Is(err, attach.ErrEnded) {
		fmt.Fprintf(std.err, "%s: %s\n", found.ID, visible(err.Error()))
		return nil
	}
	return err
}

// attach shows a session in a terminal.
func (c *attachCmd) attach(ctx context.Context, t *attach.Terminal, s sessionAt) error {
	client, err := dialLive(ctx, s.socket)
	if err != nil {
		return err
	}
	defer client.Close()
	return attach.Run(ctx, client, attach.Options{
		Session: s.ID, ReadOnly: c.ReadOnly, Force: c.Force, Resize: c.Resize,
		Detach: c.DetachKey.key, KeyName: c.DetachKey.name, Note: c.Note,
	}, t)
}

// dialLive connects to the live page's server at a socket.
func dialLive(ctx context.Context, socket string) (*live.Client, error) {
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return live.Dial(ctx, overSocket(socket), pagePath, rand.Text()[:16], name)
}

// A sessionAt is a session of one of the servers.
type sessionAt struct {
	live.Facts
	socket string
}

// lookLimit is how long a server may take to tell its sessions.
const lookLimit = 2 * time.Second

// sessionsAt returns the sessions of the server at a socket.
func sessionsAt(ctx context.Context, socket string) ([]sessionAt, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, socketURL(pagePath+"sessions", nil), nil)
	if err != nil {
		return nil, err
	}
	res, err := overSocket(socket).Do(req)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("the server at %s has not answered for %s; look whether it is stopped", socket, lookLimit)
	}
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", socket, res.Status)
	}
	var facts []live.Facts
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&facts); err != nil {
		return nil, fmt.Errorf("%s: %w", socket, err)
	}
	list := make([]sessionAt, len(facts))
	for i, f := range facts {
		list[i] = sessionAt{f, socket}
	}
	return list, nil
}

// allSessions returns the sessions of the servers of this user, and what is wrong
// with servers that do not tell theirs. It is an error when there is none.
func allSessions(ctx context.Context, given string) (all []sessionAt, trouble, err error) {
	paths, err := sockets(given)
	if err != nil {
		return nil, nil, err
	}
	var errs []error
	some := false
	for _, path := range paths {
		list, err := sessionsAt(ctx, path)
		switch {
		case err == nil:
			some = true
			all = append(all, list...)
		case !errors.Is(err, localsock.ErrNoServer):
			errs = append(errs, err)
		}
	}
	switch {
	case some:
		return all, errors.Join(errs...), nil
	case len(errs) > 0:
		return nil, nil, errors.Join(errs...)
	}
	return nil, nil, noServer(given)
}

// ambiguous says how each of several sessions with one name is told from the others.
func ambiguous(ref string, found []sessionAt) error {
	var ways []string
	for _, s := range found {
		ways = append(ways, fmt.Sprintf("--socket %s %s (%s)", word(s.socket), s.ID, plain(s.Command)))
	}
	return fmt.Errorf("several sessions are %q; choose one:\n  %s", ref, strings.Join(ways, "\n  "))
}

// findSession returns the one session with an id or a name.
func findSession(ctx context.Context, socket, ref string) (sessionAt, error) {
	all, _, err := allSessions(ctx, socket)
	if err != nil {
		return sessionAt{}, err
	}
	var found []sessionAt
	var ids []string
	for _, s := range all {
		ids = append(ids, s.ID)
		if s.ID == ref || s.Name == ref {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return sessionAt{}, ambiguous(ref, found)
	case len(ids) == 0:
		return sessionAt{}, fmt.Errorf("no session %q; there are none", ref)
	}
	return sessionAt{}, fmt.Errorf("no session %q; there are %s", ref, strings.Join(ids, ", "))
}
