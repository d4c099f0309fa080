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
	Socket    string    `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"The server's socket (default: that of the one server of this user that is running)."`
	DetachKey detachKey `default:"ctrl+]" placeholder:"KEY" help:"The key that releases the keyboard of the chosen session (default ${default})."`
}

// Help returns the command's longer description.
func (*watchCmd) Help() string {
	return "It shows a list of the sessions and the screen of one. Enter attaches to it, and the detach key " +
		"comes back to the list. In a fleet the sessions of up to 100 other nodes are in the list, as NODE/ID."
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

// watch shows the list, and the sessions that are chosen from it.
func (c *watchCmd) watch(ctx context.Context, t *attach.Terminal, socket string) error {
	for {
		id, err := c.choose(ctx, t, socket)
		if err != nil || id == "" {
			return err
		}
		at := &attachCmd{Session: id, Socket: socket, DetachKey: c.DetachKey}
		s, err := findSession(ctx, socket, id)
		if err == nil {
			err = at.attach(ctx, t, s)
		}
		if err != nil && !errors.Is(err, attach.ErrEnded) {
			return err
		}
	}
}

// choose shows the list until a session is chosen.
func (c *watchCmd) choose(ctx context.Context, t *attach.Terminal, socket string) (id string, err error) {
	return attach.Watch(ctx, attach.Pages{
		Dial:  func(ctx context.Context, node string) (*live.Client, error) { return dialLive(ctx, socket, node) },
		Nodes: func(ctx context.Context) ([]live.Node, error) { return nodesAt(ctx, socket) },
	}, t)
}

// oneServer returns the socket of the one server that is running.
func oneServer(ctx context.Context, given string) (string, error) {
	var living []string
	trouble, err := eachServer(given, func(socket string) error {
		_, err := sessionsAt(ctx, socket, "")
		if err == nil {
			living = append(living, socket)
		}
		return err
	})
	switch {
	case err != nil || trouble != nil:
		return "", errors.Join(err, trouble)
	case len(living) > 1:
		return "", fmt.Errorf("%d servers are running; choose one with --socket, as glasstty ls shows them", len(living))
	}
	return living[0], nil
}
