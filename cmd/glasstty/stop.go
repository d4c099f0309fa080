package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

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
	Yes    bool   `short:"y" help:"End running programs without asking first."`
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
	if err := c.agreed(ctx, std, path); err != nil {
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

// agreed prints the running programs and, in a terminal, asks whether to end them. It returns
// an error when the answer is no.
func (c *stopCmd) agreed(ctx context.Context, std stdio, path string) error {
	all, _, err := allSessions(ctx, path)
	if err != nil {
		return err
	}
	var running []string
	for _, s := range all {
		if s.Status == "running" {
			running = append(running, fmt.Sprintf("%s (%s)", cmp.Or(plain(s.Name), s.ID), plain(s.Program)))
		}
	}
	if len(running) == 0 {
		return nil
	}
	fmt.Fprintf(std.err, "glasstty: running in this server: %s\n", strings.Join(running, ", "))
	if c.Yes || !term.IsTerminal(int(std.in.Fd())) || !term.IsTerminal(int(std.out.Fd())) {
		return nil
	}
	fmt.Fprint(std.err, "End the server and these programs? [y/N] ")
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(std.in).ReadString('\n') // an error means no
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case line := <-answer:
		if line != "y" && line != "yes" {
			return errors.New("nothing was ended")
		}
		return nil
	}
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
