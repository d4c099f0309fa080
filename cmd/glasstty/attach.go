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
	"github.com/glasstty/glasstty/internal/shellquote"
)

// attachCmd shows a session in this terminal and lets a person type into it.
type attachCmd struct {
	Session string `arg:"" help:"The session's id or name, as glasstty ls lists them; for a session on a node of a fleet, NODE/ID, such as build7/s3."`
	Socket  string `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"The server's socket (default: those of all servers of this user)."`
	attach.Options
}

func (c *attachCmd) run(ctx context.Context, std stdio) error {
	target, err := findSession(ctx, c.Socket, c.Session)
	if err != nil {
		return err
	}
	t, err := attach.Open(std.in, std.out)
	if err != nil {
		return err
	}
	err = errors.Join(target.attach(ctx, t, c.Options), t.Restore())
	if errors.Is(err, attach.ErrEnded) {
		fmt.Fprintf(std.err, "%s: %s\n", target.ID, escapeInvisible(err.Error()))
		return nil
	}
	return err
}

// attach shows a session in a terminal. If the connection is lost, the error says how to attach again.
func (s serverSession) attach(ctx context.Context, t *attach.Terminal, o attach.Options) error {
	client, err := dialLive(ctx, s.Socket, s.node)
	if err != nil {
		return err
	}
	defer client.Close()
	err = attach.Run(ctx, client, s.ID, o, t)
	if errors.Is(err, attach.ErrLost) && ctx.Err() == nil {
		return fmt.Errorf("%w\nThe program may go on; to attach again: glasstty attach --socket %s %s\n"+
			"For up to a minute you may still count as attached; until then, --force takes the keyboard", err, shellquote.Word(s.Socket), s.ID)
	}
	return err
}

// dialLive connects to the live page of the server at a socket, or of a node of its fleet.
func dialLive(ctx context.Context, socket, node string) (*live.Client, error) {
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return live.Dial(ctx, overSocket(socket), pagePath, node, rand.Text()[:16], name)
}

// A serverSession is a session of a server of this user, or of a node of its fleet.
type serverSession struct {
	live.Facts
	Socket string // of the server

	node string // the node of the server's fleet that runs the session; "" for the server itself
}

// sessionsLimit is the time limit for listing a server's own sessions. nodesLimit is the time limit for
// requests that make the server ask nodes of its fleet.
const (
	sessionsLimit = 2 * time.Second
	nodesLimit    = rosterLimit + sessionsLimit
)

// fetchJSON fetches the JSON at a path from the server at a socket, or from a node of its fleet.
func fetchJSON[T any](ctx context.Context, socket, path, node string, limit time.Duration) (result T, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	query := url.Values{}
	if node != "" {
		query.Set("node", node)
	}
	text, err := ask(ctx, http.MethodGet, socket, path, query)
	if err != nil && ctx.Err() != nil {
		return result, fmt.Errorf("the server at %s has not answered for %s; check whether it is stopped", socket, limit)
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &result)
	}
	return result, err
}

// sessionsAt returns the sessions of the server at a socket, or of a node of its fleet.
func sessionsAt(ctx context.Context, socket, node string) ([]serverSession, error) {
	limit := sessionsLimit
	if node != "" {
		limit = nodesLimit
	}
	facts, err := fetchJSON[[]live.Facts](ctx, socket, pagePath+"sessions", node, limit)
	list := make([]serverSession, len(facts))
	for i, f := range facts {
		f.SetNode(node)
		list[i] = serverSession{f, socket, node}
	}
	return list, err
}

// nodesAt returns the nodes of the fleet of the server at a socket, or nil if it is in none.
func nodesAt(ctx context.Context, socket string) ([]live.Node, error) {
	return fetchJSON[[]live.Node](ctx, socket, pagePath+"nodes", "", nodesLimit)
}

// maxNodeRequests is the maximum number of nodes that are asked at once.
const maxNodeRequests = 16

// fleetSessions returns the sessions of the other nodes of a server's fleet, except lost nodes. trouble
// joins the errors of the nodes that did not answer.
func fleetSessions(ctx context.Context, socket string) (all []serverSession, trouble error) {
	nodes, err := nodesAt(ctx, socket)
	if err != nil {
		return nil, err
	}
	lists, errs := make([][]serverSession, len(nodes)), make([]error, len(nodes))
	var asking sync.WaitGroup
	slots := make(chan struct{}, maxNodeRequests)
	for i, n := range nodes {
		switch {
		case n.Self || n.State == live.NodeLost:
			continue
		case n.State == live.NodeUnreachable:
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

// ambiguous returns an error that lists the sessions that ref matches, and how to name each.
func ambiguous(ref string, matches []serverSession) error {
	var ways []string
	for _, s := range matches {
		ways = append(ways, fmt.Sprintf("--socket %s %s (%s)", shellquote.Word(s.Socket), s.ID, plain(s.Command)))
	}
	return fmt.Errorf("several sessions are %q; choose one:\n  %s", ref, strings.Join(ways, "\n  "))
}

// findSession returns the one session whose ID or name is ref. If no server of this user has it,
// findSession asks the nodes of the servers' fleets, or only the node in ref if ref is NODE/ID.
func findSession(ctx context.Context, socket, ref string) (serverSession, error) {
	own := func(at string) ([]serverSession, error) { return sessionsAt(ctx, at, "") }
	elsewhere := func(at string) ([]serverSession, error) {
		all, _ := fleetSessions(ctx, at)
		return all, nil
	}
	if node, _, ok := strings.Cut(ref, "/"); ok {
		elsewhere = func(at string) ([]serverSession, error) { return sessionsAt(ctx, at, node) }
	}
	var others []serverSession
	for _, from := range []func(string) ([]serverSession, error){own, elsewhere} {
		lists, _, err := askServers(socket, from)
		if err != nil {
			return serverSession{}, err
		}
		var matches []serverSession
		for _, s := range slices.Concat(lists...) {
			list := &others
			if s.ID == ref || s.Name == ref {
				list = &matches
			}
			// If several servers are in the same fleet, each of them lists the nodes' sessions.
			if known := func(m serverSession) bool { return m.node != "" && m.ID == s.ID }; !slices.ContainsFunc(*list, known) {
				*list = append(*list, s)
			}
		}
		switch {
		case len(matches) == 1:
			return matches[0], nil
		case len(matches) > 1:
			return serverSession{}, ambiguous(ref, matches)
		}
	}
	return serverSession{}, notFound(ref, others)
}

// notFound returns the error for a session ref that does not exist. It lists all sessions, with their
// sockets if they are on several servers.
func notFound(ref string, all []serverSession) error {
	if len(all) == 0 {
		return fmt.Errorf("no session %q; there are none", ref)
	}
	elsewhere := func(s serverSession) bool { return s.Socket != all[0].Socket }
	start, separator := " ", ", "
	several := slices.ContainsFunc(all, elsewhere)
	if several {
		start, separator = "\n  ", "\n  "
	}
	lines := make([]string, len(all))
	for i, s := range all {
		lines[i] = fmt.Sprintf("%s (%s)", s.ID, plain(s.Name))
		if several {
			lines[i] = fmt.Sprintf("--socket %s %s", shellquote.Word(s.Socket), lines[i])
		}
	}
	return fmt.Errorf("no session %q; there are%s%s", ref, start, strings.Join(lines, separator))
}
