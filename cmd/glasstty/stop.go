package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/session/child"
)

// The time limit for a server to end, and the interval at which awaitEnd checks the process.
const (
	stopLimit    = 30 * time.Second
	stopInterval = 20 * time.Millisecond
)

// stopCmd ends a server that runs in the background.
type stopCmd struct {
	Socket string `placeholder:"PATH" env:"GLASSTTY_SOCKET" help:"The server's socket (default: that of glasstty serve)."`
	Yes    bool   `short:"y" help:"End running programs without asking first. Stop asks only on a terminal."`
}

func (c *stopCmd) run(ctx context.Context, std stdio) error {
	path := cmp.Or(c.Socket, defaultSocket())
	pid, err := serverOn(ctx, path)
	if err != nil {
		return err
	}
	// On Linux the handle still refers to the server if the server's process ID is reused meanwhile.
	server, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	defer server.Release()
	if err := c.confirm(ctx, std, path); err != nil {
		return err
	}
	err = server.Signal(syscall.SIGTERM)
	if errors.Is(err, os.ErrProcessDone) {
		err = syscall.ESRCH
	}
	if err != nil {
		return fmt.Errorf("end the server with process id %d: %w", pid, err)
	}
	if err := awaitEnd(ctx, pid); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "the server with process id %d has ended\n", pid)
	return err
}

// confirm prints the running programs. In a terminal and without --yes, it then asks whether to end them,
// and returns an error unless the answer is yes.
func (c *stopCmd) confirm(ctx context.Context, std stdio, path string) error {
	all, err := sessionsAt(ctx, path, "")
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

// serverOn returns the process ID of the server that listens on a socket.
func serverOn(ctx context.Context, path string) (int, error) {
	conn, err := localsock.Dial(ctx, path)
	if err != nil {
		return 0, statusError{error: err, status: exitNoServer}
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

// awaitEnd waits until a process has ended. After stopLimit it returns an error.
func awaitEnd(ctx context.Context, pid int) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	for child.Alive(pid) {
		switch err := pause(ctx, stopInterval); {
		case errors.Is(err, context.DeadlineExceeded):
			return fmt.Errorf("the server with process id %d was told to end, and still runs after %s", pid, stopLimit)
		case err != nil:
			return err
		}
	}
	return nil
}

// pause waits for d. If ctx ends first, it returns the cause.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
