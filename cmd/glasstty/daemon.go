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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/internal/relay"
	"github.com/glasstty/glasstty/internal/shellquote"
)

// A daemon is a client's view of the user's server on a socket, which outlives its clients. It is not
// safe for concurrent use.
type daemon struct {
	socket        string            // its path
	dataDir       string            // "" for the default
	firstSettings map[string]string // settings of the first server that was dialed; nil before that
}

// runDaemon connects the client on standard input and output with the user's daemon.
func (c *mcpCmd) runDaemon(ctx context.Context, std stdio) error {
	d := &daemon{socket: fullPath(cmp.Or(c.Socket, defaultSocket())), dataDir: c.DataDir}
	if d.dataDir != "" && d.dataDir != noData {
		d.dataDir = fullPath(d.dataDir) // the daemon has another working directory
	}
	if err := c.checkFlags(); err != nil {
		return err
	}
	if err := c.checkDaemon(ctx, d, c.logger(std.err)); err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	return relay.New(relay.Options{Dial: d.dial, Start: d.start, Dir: dir}).Run(ctx, std.in, std.out)
}

// dial connects to the daemon. If it was started with other flags or values than the first daemon that was
// dialed (see givenFlags), dial returns an error: it might not protect the client in the same way.
func (d *daemon) dial(ctx context.Context) (net.Conn, error) {
	conn, err := localsock.Dial(ctx, d.socket)
	if err != nil {
		return nil, err
	}
	theirs, err := settingsOf(ctx, d.socket)
	if err == nil {
		err = d.compare(theirs)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// compare returns an error if the flags with which a server was started, or their values, differ from
// those of the first server. The error does not contain the values, which may be secret.
func (d *daemon) compare(theirs map[string]string) error {
	if d.firstSettings == nil {
		d.firstSettings = theirs
	}
	if d.firstSettings[givenFlags] == theirs[givenFlags] && d.firstSettings[givenValues] == theirs[givenValues] {
		return nil
	}
	first := cmp.Or(d.firstSettings[givenFlags], "no flags")
	return fmt.Errorf("the server on %s was started with %s, and the one that runs there now with other flags or values: stop it (glasstty stop --socket %s), and start it again with %s",
		d.socket, first, shellquote.Word(d.socket), first)
}

const (
	// daemonLimit is the time limit for starting a daemon.
	daemonLimit = 20 * time.Second
	// pipeBuf is the size of the buffer for a process's first output: PIPE_BUF on Linux.
	pipeBuf = 4096
)

// start starts the daemon if none runs. If several clients start one at once, the daemon that listens
// first stays. If the first server that was dialed was started with flags such as --gateway, start returns
// an error: a daemon without them might not protect the client in the same way, or have other sessions.
func (d *daemon) start(ctx context.Context) error {
	if flags := d.firstSettings[givenFlags]; flags != "" {
		return fmt.Errorf("the server on %s is gone; it was started with %s: start it again", d.socket, flags)
	}
	ctx, cancel := context.WithTimeout(ctx, daemonLimit)
	defer cancel()
	conn, err := d.dial(ctx)
	if err == nil {
		return conn.Close() // another client was faster
	}
	if !errors.Is(err, localsock.ErrNoServer) {
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
		return conn.Close() // another client was faster
	}
	return fmt.Errorf("start glasstty %s: %w", strings.Join(args, " "), err)
}

// spawn starts the daemon with args in the directory dir, or in the current one if dir is "".
// It returns the daemon's first output, which says where it listens, and what it has logged before.
// The daemon runs in its own process session and inherits only the environment. It logs to a new file,
// which replaces the older log next to the socket. spawn never opens an existing file.
func (d *daemon) spawn(ctx context.Context, dir string, args []string) (output, logText string, err error) {
	socketDir, err := localsock.OpenDir(d.socket)
	if err != nil {
		return "", "", err
	}
	defer socketDir.Close()
	logName := filepath.Base(d.socket) + ".log"
	temp := logName + "." + rand.Text()
	// The daemon must not keep the client's standard error open, so its standard error is this file.
	log, err := socketDir.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return "", "", err
	}
	defer log.Close()
	output, err = startDetached(ctx, dir, args, log)
	text, readErr := io.ReadAll(io.NewSectionReader(log, 0, maxAnswer))
	if errors.Is(err, errEnded) {
		if why, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "glasstty: "); ok {
			err = errors.New(why)
		} else {
			err = fmt.Errorf("%w and said: %s", err, text)
		}
	}
	if err := errors.Join(err, readErr); err != nil {
		return "", "", errors.Join(err, socketDir.Remove(temp))
	}
	return output, string(text), socketDir.Rename(temp, logName)
}

// errEnded is returned by startDetached if the process ends without output.
var errEnded = errors.New("it ended")

// startDetached starts this executable in its own process session, in the directory dir, or in the
// current one if dir is "". The process's standard error goes to log, or nowhere if log is nil.
// startDetached waits for the process's first output and returns it.
func startDetached(ctx context.Context, dir string, args []string, log *os.File) (output string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = dir
	if log != nil { // a nil *os.File would close descriptor 2
		cmd.Stderr = log
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	defer context.AfterFunc(ctx, func() { _ = out.Close() })()
	// The process writes its output in one write of at most PIPE_BUF bytes, which a pipe
	// delivers whole (pipe(7)).
	buf := make([]byte, pipeBuf)
	n, err := out.Read(buf)
	if n > 0 && err == nil {
		go func() { _ = cmd.Wait() }() // reaps the process if it ends before this one
		return string(buf[:n]), nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return "", fmt.Errorf("%w (%v)", errEnded, cmd.Wait())
}

// background starts the server in its own process session, with the same flags. It returns when
// the server is ready.
func (c *serveCmd) background(ctx context.Context, std stdio) error {
	ctx, cancel := context.WithTimeout(ctx, daemonLimit)
	defer cancel()
	stop := "glasstty stop"
	if c.Socket != defaultSocket() {
		stop += " --socket " + shellquote.Word(c.Socket)
	}
	args := append(slices.Clone(os.Args[1:]), "--no-background") // also if the settings file has background = true
	output, logText, err := (&daemon{socket: c.Socket}).spawn(ctx, "", args)
	if err != nil {
		return err
	}
	fmt.Fprint(std.err, escapeInvisible(logText)) // for example, that the port is taken
	_, err = fmt.Fprintf(std.out, "%sit goes on in the background; end it with: %s\n", output, stop)
	return err
}
