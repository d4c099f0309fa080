package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/internal/filelock"
	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/internal/owned"
	"github.com/glasstty/glasstty/internal/relay"
)

// A daemon is the user's server on a socket, which outlives its clients.
type daemon struct {
	socket  string
	dataDir string // "" for the default
}

// runDaemon joins the client on standard input and output to the user's daemon.
func (c *mcpCmd) runDaemon(ctx context.Context, std stdio) error {
	d := daemon{socket: fullPath(cmp.Or(c.Socket, defaultSocket())), dataDir: c.DataDir}
	if d.dataDir != "" && d.dataDir != noData {
		d.dataDir = fullPath(d.dataDir) // the daemon's working directory is another
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
	if _, _, err = d.spawn(ctx, "/", args); err == nil {
		return nil
	}
	if conn, derr := d.dial(ctx); derr == nil {
		return conn.Close() // somebody else has started it
	}
	return fmt.Errorf("start glasstty %s: %w", strings.Join(args, " "), err)
}

// startLock is the file in the data directory whose lock is held while a daemon is
// started.
const startLock = ".start"

// lock locks the starting of the daemon against other clients. Sandboxed programs
// cannot open the data directory's files, and so not hold the lock. Where there is no
// such file, a daemon that comes second finds the socket in use.
func (d daemon) lock(ctx context.Context) (unlock func(), err error) {
	f := d.lockFile()
	if f == nil {
		return func() {}, nil
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

// lockFile opens the file of the lock, nil where there is none: the daemon says what
// is wrong with the data directory.
func (d daemon) lockFile() *os.File {
	root := (&dataFlags{DataDir: d.dataDir}).root()
	if root == "" {
		return nil
	}
	dir, err := owned.Open(root)
	if err != nil {
		return nil
	}
	defer dir.Close()
	f, err := dir.OpenFile(startLock, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil
	}
	return f
}

// spawn starts the daemon with args in the directory dir, "" for this one's, and
// returns what it says when it listens, and what it has logged until then. It has a
// session of its own and nothing of this process's but the environment. What it logs goes
// beside its socket, to a new file: none that is there is opened.
func (d daemon) spawn(ctx context.Context, dir string, args []string) (said, logged string, err error) {
	beside, err := localsock.OpenDir(d.socket)
	if err != nil {
		return "", "", err
	}
	defer beside.Close()
	logName := filepath.Base(d.socket) + ".log"
	temp := logName + "." + rand.Text()
	// The daemon must not hold the client's standard error open.
	log, err := beside.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return "", "", err
	}
	defer log.Close()
	said, logged, err = d.run(ctx, dir, args, log)
	if err != nil {
		return "", "", errors.Join(err, beside.Remove(temp))
	}
	return said, logged, beside.Rename(temp, logName)
}

// run is spawn with the file for what the daemon logs.
func (d daemon) run(ctx context.Context, dir string, args []string, log *os.File) (said, logged string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", "", err
	}
	cmd := exec.Command(self, args...)
	cmd.Dir, cmd.Stderr = dir, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", "", err
	}
	if err := cmd.Start(); err != nil {
		return "", "", err
	}
	defer context.AfterFunc(ctx, func() { _ = out.Close() })()
	// It says all in one write, which a pipe hands over whole (pipe(7), PIPE_BUF).
	words := make([]byte, pipeBuf)
	n, err := out.Read(words)
	if n > 0 && err == nil {
		go func() { _ = cmd.Wait() }() // reaps it, should it end before us
		logged, err = readLog(log)
		return string(words[:n]), logged, err
	}
	if ctx.Err() != nil {
		return "", "", ctx.Err()
	}
	end := cmd.Wait()
	if logged, err = readLog(log); err != nil {
		return "", "", err
	}
	if why, ok := strings.CutPrefix(strings.TrimSpace(logged), "glasstty: "); ok {
		return "", "", errors.New(why)
	}
	return "", "", fmt.Errorf("it ended (%v) and said: %s", end, logged)
}

// readLog returns what a daemon has logged.
func readLog(log *os.File) (string, error) {
	text, err := io.ReadAll(io.NewSectionReader(log, 0, maxAnswer))
	return string(text), err
}
