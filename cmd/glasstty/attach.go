package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/user"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/glasstty/glasstty/cmd/glasstty/attach"
	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/emulator"
)

// attachCmd shows a session in this terminal and lets a person type into it.
type attachCmd struct {
	Session   string    `arg:"" help:"The session's id or name, as glasstty ls lists them; for a session on a node of a fleet, NODE/ID, such as build7/s3."`
	Socket    string    `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"The server's socket (default: those of all servers of this user)."`
	ReadOnly  bool      `short:"r" help:"Watch, do not type."`
	Force     bool      `help:"Take the keyboard from another person."`
	Resize    bool      `help:"Give the session this terminal's size."`
	DetachKey detachKey `default:"ctrl+]" placeholder:"KEY" help:"The key that detaches (default ${default})."`
	Note      string    `placeholder:"TEXT" help:"A note for the agent when this command ends."`
}

// Help returns the command's longer description.
func (*attachCmd) Help() string {
	return "Keys go to the program, and the agent cannot type meanwhile. The detach key releases the keyboard. When this " +
		"command ends in another way, the keyboard is released some time later. Text typed at a password prompt is not " +
		"logged, and the agent does not see it."
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
	client, err := dialLive(ctx, s.socket, s.node)
	if err != nil {
		return err
	}
	defer client.Close()
	err = attach.Run(ctx, client, attach.Options{
		Session: s.ID, ReadOnly: c.ReadOnly, Force: c.Force, Resize: c.Resize,
		Detach: c.DetachKey.key, KeyName: c.DetachKey.name, Note: c.Note,
	}, t)
	if lost := (*attach.LostError)(nil); errors.As(err, &lost) && ctx.Err() == nil {
		return s.lost(ctx, lost)
	}
	return err
}

// lost says which server does not answer any more: the one at the socket, or the node of
// its fleet that has the session.
func (s sessionAt) lost(ctx context.Context, e *attach.LostError) error {
	why := error(e)
	if s.node != "" {
		ctx := context.WithoutCancel(ctx)
		_, err := sessionsAt(ctx, s.socket, s.node)
		_, here := sessionsAt(ctx, s.socket, "")
		switch {
		case here != nil: // the one at the socket is gone
		case err != nil:
			why = fmt.Errorf("nothing is heard of node %s any more: %w. %s", s.node, err, e.Doubt)
		default:
			why = fmt.Errorf("the connection to node %s was lost, and it answers again. %s", s.node, e.Doubt)
		}
	}
	return fmt.Errorf("%w\nThe program may go on; to attach again: glasstty attach --socket %s %s", why, word(s.socket), s.ID)
}

// dialLive connects to the live page of the server at a socket, or of a node of its fleet.
func dialLive(ctx context.Context, socket, node string) (*live.Client, error) {
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return live.Dial(ctx, overSocket(socket), pagePath, node, rand.Text()[:16], name)
}

// A sessionAt is a session of one of the servers.
type sessionAt struct {
	live.Facts
	socket string
	node   string // of the server's fleet that has it, "" for the server itself
}

// lookLimit is how long a server may take to tell its sessions, and nodesLimit its nodes:
// it asks them.
const (
	lookLimit  = 2 * time.Second
	nodesLimit = rosterLimit + lookLimit
)

// look reads what the page of the server at a socket serves under a name, or that of a node.
func look[T any](ctx context.Context, socket, name, node string, limit time.Duration) (found T, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	query := url.Values{}
	if node != "" {
		query.Set("node", node)
	}
	text, err := ask(ctx, http.MethodGet, socket, pagePath+name, query)
	if err != nil && ctx.Err() != nil {
		return found, fmt.Errorf("the server at %s has not answered for %s; look whether it is stopped", socket, limit)
	}
	if err != nil {
		return found, err
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return found, fmt.Errorf("%s: %w", socket, err)
	}
	return found, nil
}

// sessionsAt returns the sessions of the server at a socket, or of a node of its fleet.
func sessionsAt(ctx context.Context, socket, node string) ([]sessionAt, error) {
	limit := lookLimit
	if node != "" {
		limit = nodesLimit
	}
	facts, err := look[[]live.Facts](ctx, socket, "sessions", node, limit)
	list := make([]sessionAt, len(facts))
	for i, f := range facts {
		f.On(node)
		list[i] = sessionAt{f, socket, node}
	}
	return list, err
}

// nodesAt returns the nodes of the fleet of the server at a socket, nil where it is in none.
func nodesAt(ctx context.Context, socket string) ([]live.Node, error) {
	return look[[]live.Node](ctx, socket, "nodes", "", nodesLimit)
}

// maxLooks is how many nodes are asked at once.
const maxLooks = 16

// fleetSessions returns the sessions of the other nodes of a server's fleet, and which
// nodes do not tell theirs.
func fleetSessions(ctx context.Context, socket string) (all []sessionAt, trouble error) {
	nodes, err := nodesAt(ctx, socket)
	if err != nil {
		return nil, err
	}
	lists, errs := make([][]sessionAt, len(nodes)), make([]error, len(nodes))
	var asking sync.WaitGroup
	slots := make(chan struct{}, maxLooks)
	for i, n := range nodes {
		switch {
		case n.Self || n.Is == live.NodeLost:
			continue
		case n.Is == live.NodeUnreachable:
			errs[i] = fmt.Errorf("node %s of the fleet of %s is unreachable", n.Name, socket)
			continue
		}
		asking.Go(func() {
			slots <- struct{}{}
			lists[i], errs[i] = sessionsAt(ctx, socket, n.Name)
			<-slots
		})
	}
	asking.Wait()
	return slices.Concat(lists...), errors.Join(errs...)
}

// allSessions returns the sessions of the servers of this user, and what is wrong with
// servers that do not tell theirs. It is an error when there is no server.
func allSessions(ctx context.Context, given string) (all []sessionAt, trouble, err error) {
	trouble, err = eachServer(given, func(socket string) error {
		list, err := sessionsAt(ctx, socket, "")
		all = append(all, list...)
		return err
	})
	return all, trouble, err
}

// ambiguous says how each of several sessions with one name is told from the others.
func ambiguous(ref string, found []sessionAt) error {
	var ways []string
	for _, s := range found {
		ways = append(ways, fmt.Sprintf("--socket %s %s (%s)", word(s.socket), s.ID, plain(s.Command)))
	}
	return fmt.Errorf("several sessions are %q; choose one:\n  %s", ref, strings.Join(ways, "\n  "))
}

// nodeSessions returns the sessions of a node, by way of the first server of this user that
// reaches it. It is an error when none does.
func nodeSessions(ctx context.Context, given, node string) (found []sessionAt, err error) {
	reached := false
	_, err = eachServer(given, func(socket string) error {
		if reached {
			return nil
		}
		list, err := sessionsAt(ctx, socket, node)
		if err == nil {
			found, reached = list, true
		}
		return err
	})
	return found, err
}

// findSession returns the one session with an id or a name.
func findSession(ctx context.Context, socket, ref string) (sessionAt, error) {
	all, _, err := allSessions(ctx, socket)
	if err != nil {
		return sessionAt{}, err
	}
	other := func(s sessionAt) bool { return s.ID != ref && s.Name != ref }
	found := slices.DeleteFunc(slices.Clone(all), other)
	if node, _, ok := strings.Cut(ref, "/"); ok && len(found) == 0 {
		if all, err = nodeSessions(ctx, socket, node); err != nil {
			return sessionAt{}, err
		}
		found = slices.DeleteFunc(slices.Clone(all), other)
	}
	var ids []string
	for _, s := range all {
		ids = append(ids, s.ID)
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
