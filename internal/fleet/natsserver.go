package fleet

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// natsProgram is the name of the NATS server's executable.
const natsProgram = "nats-server"

const (
	// readyLimit is how long the NATS server may take to start.
	readyLimit = 15 * time.Second
	// stopLimit is how long the server may take to stop.
	stopLimit = 5 * time.Second
	// restartPause is the pause before the server is restarted after an unexpected exit.
	restartPause = 2 * time.Second
)

// A NATSServer runs the program nats-server until Close, and restarts it after an unexpected exit.
type NATSServer struct {
	setup Setup
	path  string
	log   *slog.Logger
	stop  context.CancelFunc
	ended chan struct{} // closed when run has returned
	ready chan error    // receives nil when the server is ready, or an error if it exits before

	// Only the goroutine of run uses these fields; others may read them once ended is closed.
	served bool   // the server was ready at least once
	latest string // last line of the server's log
}

// Serve starts the NATS server of a Setup for which Make was called, and returns when the server
// is ready. It logs the server's log lines to log.
func (s Setup) Serve(ctx context.Context, log *slog.Logger) (*NATSServer, error) {
	path, err := exec.LookPath(natsProgram)
	if err != nil {
		return nil, fmt.Errorf("the fleet needs the program %s (%w); get it from https://github.com/nats-io/nats-server/releases, or run go install github.com/nats-io/nats-server/v2@latest", natsProgram, err)
	}
	n := &NATSServer{setup: s, path: path, log: log, ended: make(chan struct{}), ready: make(chan error, 1)}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.stop = stop
	go n.run(running)
	limit := time.NewTimer(readyLimit)
	defer limit.Stop()
	select {
	case err = <-n.ready:
		if err == nil {
			return n, nil
		}
		n.Close()
	case <-ctx.Done():
		n.Close()
		err = context.Cause(ctx)
	case <-limit.C:
		n.Close()
		err = fmt.Errorf("%s was not ready after %s; its last log line: %s", natsProgram, readyLimit, n.latest)
	}
	return nil, err
}

// Close ends the server and waits for its exit. It does nothing if n is nil.
func (n *NATSServer) Close() {
	if n == nil {
		return
	}
	n.stop()
	<-n.ended
}

// run keeps the server running until ctx is done. It gives up if the server exits without ever
// having been ready.
func (n *NATSServer) run(ctx context.Context) {
	defer close(n.ended)
	runtime.LockOSThread() // the kernel signals the server when the thread that started it exits (see endWithParent)
	for {
		err := n.runOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		err = fmt.Errorf("%s -c %s exited (%w); its last log line: %s", natsProgram, filepath.Join(n.setup.Dir, configFile), err, n.latest)
		if !n.served {
			n.ready <- err
			return
		}
		n.log.Error("fleet: the NATS server exited and is restarted; nodes are unreachable until it is back", "in", restartPause, "err", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(restartPause):
		}
	}
}

// runOnce runs the server until it exits. When ctx ends, it sends SIGTERM to the server.
func (n *NATSServer) runOnce(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, n.path, "-c", filepath.Join(n.setup.Dir, configFile))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopLimit
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl+C must reach only this process, which ends the server last
	endWithParent(cmd.SysProcAttr)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	n.copyLog(ctx, stderr)
	if err = cmd.Wait(); err == nil {
		err = errors.New("exit status 0")
	}
	return err
}

// copyLog logs the server's log lines until the server exits.
func (n *NATSServer) copyLog(ctx context.Context, stderr io.Reader) {
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		level, text := parseLogLine(lines.Text())
		n.latest = text
		n.log.Log(ctx, level, "fleet: "+natsProgram, "says", text)
		if !n.served && strings.HasSuffix(text, "Server is ready") {
			n.served = true
			n.ready <- nil
		}
	}
	// Scan stops at a line that is too long; the rest is read so that the server does not block.
	if _, err := io.Copy(io.Discard, stderr); err != nil {
		n.log.Debug("fleet: "+natsProgram, "err", err)
	}
}

// parseLogLine returns the level and the text of a line of the server's log, which has the form
// [PID] DATE TIME [INF] TEXT.
func parseLogLine(line string) (slog.Level, string) {
	for word, level := range map[string]slog.Level{
		"[TRC]": slog.LevelDebug, "[DBG]": slog.LevelDebug, "[INF]": slog.LevelInfo,
		"[WRN]": slog.LevelWarn, "[ERR]": slog.LevelError, "[FTL]": slog.LevelError,
	} {
		if _, text, ok := strings.Cut(line, word+" "); ok {
			return level, text
		}
	}
	return slog.LevelError, strings.TrimSpace(line) // not a log line: the server did not start properly
}
