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
	pipeBuf     = 4096 // the server's first output is shorter
)

// start starts the daemon when none runs: only one, even when several clients start
// together.
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
		return conn.Close() // another client was faster
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
		return conn.Close() // another process has started it
	}
	return fmt.Errorf("start glasstty %s: %w", strings.Join(args, " "), err)
}

// startLock is the lock file in the data directory for starting a daemon.
const startLock = ".start"

// lock keeps other clients from starting the daemon. Sandboxed programs cannot open files of
// the data directory, so they cannot hold the lock. Without the file, a second daemon fails
// because the socket is in use.
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

// lockFile opens the lock file, nil when it cannot: the daemon reports errors of the data
// directory.
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

// spawn starts the daemon with args in the directory dir, "" for the present one. It returns
// the daemon's first output, which says where it listens, and its log until then. The daemon
// has a process session of its own and inherits only the environment. It logs to a new file
// next to its socket; an existing file is never opened.
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

// run is spawn with the log file.
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
	// The output is one write, which a pipe delivers whole (pipe(7), PIPE_BUF).
	words := make([]byte, pipeBuf)
	n, err := out.Read(words)
	if n > 0 && err == nil {
		go func() { _ = cmd.Wait() }() // reaps the daemon if it ends first
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

// readLog returns the daemon's log.
func readLog(log *os.File) (string, error) {
	text, err := io.ReadAll(io.NewSectionReader(log, 0, maxAnswer))
	return string(text), err
}
