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

// natsProgram is the program that serves a fleet.
const natsProgram = "nats-server"

const (
	// readyLimit is how long the NATS server may take to start.
	readyLimit = 15 * time.Second
	// stopLimit is how long it may take to end.
	stopLimit = 5 * time.Second
	// firstPause is the time until it is started again after it has ended by itself. Each
	// further one is twice as long, up to lastPause, until it runs for steadyTime.
	firstPause = 500 * time.Millisecond
	lastPause  = 30 * time.Second
	steadyTime = time.Minute
)

// A NATSServer is the program nats-server, which runs until Close. When it ends by itself,
// it is started again.
type NATSServer struct {
	setup Setup
	path  string
	log   *slog.Logger
	stop  context.CancelFunc
	ended chan struct{} // closed after Close
	ready chan error    // gets nil when it serves for the first time, or why it does not

	// Of the goroutine of run.
	served bool
	latest string // it has said
}

// Serve starts the NATS server of a Setup that was made, and returns when it serves.
// What it says goes to the log.
func (s Setup) Serve(ctx context.Context, log *slog.Logger) (*NATSServer, error) {
	path, err := exec.LookPath(natsProgram)
	if err != nil {
		return nil, fmt.Errorf("the fleet needs the program %s (%w): get it from https://github.com/nats-io/nats-server/releases, or with: go install github.com/nats-io/nats-server/v2@latest", natsProgram, err)
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
		err = fmt.Errorf("%s does not serve after %s; it said last: %s", natsProgram, readyLimit, n.latest)
	}
	return nil, err
}

// Close ends the server. A nil one has ended.
func (n *NATSServer) Close() {
	if n == nil {
		return
	}
	n.stop()
	<-n.ended
}

// run runs the server again and again, until ctx ends.
func (n *NATSServer) run(ctx context.Context) {
	defer close(n.ended)
	runtime.LockOSThread() // the server ends with the thread that started it, see endWithUs
	pause := firstPause
	for {
		began := time.Now()
		err := n.once(ctx)
		if ctx.Err() != nil {
			return
		}
		err = fmt.Errorf("%s -c %s has ended (%w); it said last: %s", natsProgram, filepath.Join(n.setup.Dir, configFile), err, n.latest)
		if !n.served {
			n.ready <- err
			return
		}
		if time.Since(began) > steadyTime {
			pause = firstPause
		}
		n.log.Error("fleet: the NATS server has ended and is started again; until then no node is reached", "in", pause, "err", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

// once runs the server until it ends.
func (n *NATSServer) once(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, n.path, "-c", filepath.Join(n.setup.Dir, configFile))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopLimit
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // ctrl+c is for us, who end it last
	endWithUs(cmd.SysProcAttr)
	said, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	n.listen(ctx, said)
	if err = cmd.Wait(); err == nil {
		err = errors.New("without an error")
	}
	return err
}

// listen passes on what the server says, until it ends.
func (n *NATSServer) listen(ctx context.Context, said io.Reader) {
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		level, text := natsLine(lines.Text())
		n.latest = text
		n.log.Log(ctx, level, "fleet: "+natsProgram, "says", text)
		if !n.served && strings.HasSuffix(text, "Server is ready") {
			n.served = true
			n.ready <- nil
		}
	}
	if _, err := io.Copy(io.Discard, said); err != nil { // after a line that is too long
		n.log.Debug("fleet: "+natsProgram, "err", err)
	}
}

// natsLine returns what a line of the server's log says, and how important it is. The line
// is like [PID] DATE TIME [INF] TEXT.
func natsLine(line string) (slog.Level, string) {
	for word, level := range map[string]slog.Level{
		"[TRC]": slog.LevelDebug, "[DBG]": slog.LevelDebug, "[INF]": slog.LevelInfo,
		"[WRN]": slog.LevelWarn, "[ERR]": slog.LevelError, "[FTL]": slog.LevelError,
	} {
		if _, text, ok := strings.Cut(line, word+" "); ok {
			return level, text
		}
	}
	return slog.LevelError, strings.TrimSpace(line) // it was not begun as it should be
}
