package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/session/child"
)

// How long a server may take to end, and how often it is looked at.
const (
	stopLimit = 30 * time.Second
	stopPause = 20 * time.Millisecond
)

// stopCmd ends a server that runs in the background.
type stopCmd struct {
	Socket string `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"The server's socket (default: that of glasstty serve)."`
}

// Help returns the command's longer description.
func (*stopCmd) Help() string {
	return "The server ends its programs, unless it was started with --leave, and then itself; stop returns when it has. " +
		"Finished sessions can be replayed and exported from the data directory. To upgrade a server without ending " +
		"its programs: glasstty serve --replace."
}

func (c *stopCmd) run(ctx context.Context, std stdio) error {
	path := c.Socket
	if path == "" {
		path = defaultSocket()
	}
	pid, err := serverOn(ctx, path)
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return fmt.Errorf("end the server with process id %d: %w", pid, err)
	}
	if err := awaitEnd(ctx, pid); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "the server with process id %d has ended\n", pid)
	return err
}

// serverOn returns the process that listens on a socket.
func serverOn(ctx context.Context, path string) (int, error) {
	conn, err := localsock.Dial(ctx, path)
	if err != nil {
		return 0, statusError{err, exitNoServer}
	}
	defer conn.Close()
	switch _, pid, err := localsock.Peer(conn); {
	case err != nil:
		return 0, fmt.Errorf("ask who listens on %s: %w", path, err)
	case pid <= 0:
		return 0, fmt.Errorf("the server on %s has no process id here: it runs in a container or another name space; end it there", path)
	default:
		return pid, nil
	}
}

// awaitEnd waits until a process has ended.
func awaitEnd(ctx context.Context, pid int) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	tick := time.NewTicker(stopPause)
	defer tick.Stop()
	for child.Alive(pid) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fmt.Errorf("the server with process id %d was told to end, and still runs after %s", pid, stopLimit)
			}
			return ctx.Err()
		}
	}
	return nil
}
