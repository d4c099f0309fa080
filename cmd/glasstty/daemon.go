package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/internal/filelock"
	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/internal/relay"
)

// A daemon is the user's server on a socket, which outlives its clients.
type daemon struct {
	socket  string
	dataDir string // "" for the default
}

// runDaemon joins the client on standard input and output to the user's daemon.
func (c *mcpCmd) runDaemon(ctx context.Context, std stdio) error {
	d := daemon{socket: c.Socket, dataDir: c.DataDir}
	if d.socket == "" {
		d.socket = defaultSocket()
	}
	if err := c.checkFlags(); err != nil {
		return err
	}
	if err := c.checkDaemon(ctx, d, c.LogLevel.logger(std.err)); err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	return relay.New(relay.Options{Dial: d.dial, Start: d.start, Dir: dir}).Run(ctx, std.in, std.out)
}

// dial connects to the daemon. The error wraps relay.ErrNoServer when there is
// none.
func (d daemon) dial(ctx context.Context) (net.Conn, error) {
	conn, err := localsock.Dial(ctx, d.socket)
	if errors.Is(err, localsock.ErrNoServer) {
		return nil, fmt.Errorf("%w: %w", relay.ErrNoServer, err)
	}
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// How long starting a daemon may take, and how often its lock is tried.
const (
	daemonLimit = 20 * time.Second
	daemonPause = 20 * time.Millisecond
	pipeBuf     = 4096 // what a server says as it begins is shorter
)

// start starts the daemon when there is none: once, also when several clients
// start together.
func (d daemon) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, daemonLimit)
	defer cancel()
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	conn, err := d.dial(ctx)
	if err == nil {
		return conn.Close() // somebody was faster
	}
	if !errors.Is(err, relay.ErrNoServer) {
		return err
	}
	args := []string{"serve", "--no-http", "--socket", d.socket}
	if d.dataDir != "" {
		args = append(args, "--data-dir", d.dataDir)
	}
	_, err = d.spawn(ctx, "/", args)
	return err
}

// lock locks the starting of the daemon against other clients.
func (d daemon) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(d.socket), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(d.socket+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = filelock.Lock(ctx, f, daemonPause)
	switch {
	case err == nil:
		return func() { _ = f.Close() }, nil // which unlocks it
	case errors.Is(err, ctx.Err()):
		err = fmt.Errorf("another client has been starting the daemon for %s: %w", daemonLimit, err)
	}
	return nil, errors.Join(err, f.Close())
}

// spawn starts the daemon with args in the directory dir, "" for this one's, and
// returns what it says when it listens. It has a session of its own and nothing of
// this process's but the environment.
func (d daemon) spawn(ctx context.Context, dir string, args []string) (said string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	// The daemon must not hold the client's standard error open.
	log, err := os.OpenFile(d.socket+".log", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return "", err
	}
	defer log.Close()
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		return "", err
	}
	defer context.AfterFunc(ctx, func() { _ = out.Close() })()
	// It says all in one write, which a pipe hands over whole (pipe(7), PIPE_BUF).
	words := make([]byte, pipeBuf)
	n, err := out.Read(words)
	if n > 0 && err == nil {
		go func() { _ = cmd.Wait() }() // reaps it, should it end before us
		return string(words[:n]), nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	_ = cmd.Wait() // what it says is better than how it ended
	why, err := os.ReadFile(log.Name())
	if err != nil {
		return "", err
	}
	return "", fmt.Errorf("start %s %s: %s", self, strings.Join(args, " "), strings.TrimSpace(string(why)))
}
