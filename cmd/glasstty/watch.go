package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/glasstty/glasstty/cmd/glasstty/attach"
	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// watchCmd shows all sessions of a server and of its fleet in this terminal.
type watchCmd struct {
	Socket    string     `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"The server's socket (default: that of the one server of this user that is running)."`
	DetachKey attach.Key `default:"ctrl+]" placeholder:"KEY" help:"The key that releases the keyboard of the chosen session (default ${default})."`
}

func (c *watchCmd) run(ctx context.Context, std stdio) error {
	socket, err := oneServer(ctx, c.Socket)
	if err != nil {
		return err
	}
	t, err := attach.Open(std.in, std.out)
	if err != nil {
		return err
	}
	return errors.Join(c.watch(ctx, t, socket), t.Restore())
}

// watch shows the list and attaches to the session that is chosen, again and again until the person quits.
func (c *watchCmd) watch(ctx context.Context, t *attach.Terminal, socket string) error {
	for {
		id, err := c.choose(ctx, t, socket)
		if err != nil || id == "" {
			return err
		}
		s, err := findSession(ctx, socket, id)
		if err == nil {
			err = s.attach(ctx, t, attach.Options{DetachKey: c.DetachKey})
		}
		if err != nil && !errors.Is(err, attach.ErrEnded) {
			return err
		}
	}
}

// choose shows the list and returns the ID of the session that the person chooses, or "" after quit.
func (c *watchCmd) choose(ctx context.Context, t *attach.Terminal, socket string) (id string, err error) {
	return attach.Watch(ctx, attach.Dialer{
		Dial:  func(ctx context.Context, node string) (*live.Client, error) { return dialLive(ctx, socket, node) },
		Nodes: func(ctx context.Context) ([]live.Node, error) { return nodesAt(ctx, socket) },
	}, t)
}

// oneServer returns given if a server answers there. If given is "", it returns the socket of the only server.
func oneServer(ctx context.Context, given string) (string, error) {
	living, trouble, err := askServers(given, func(socket string) (string, error) {
		_, err := sessionsAt(ctx, socket, "")
		return socket, err
	})
	switch {
	case err != nil || trouble != nil:
		return "", errors.Join(err, trouble)
	case len(living) > 1:
		return "", fmt.Errorf("%d servers are running; choose one with --socket, as glasstty ls shows them", len(living))
	}
	return living[0], nil
}
