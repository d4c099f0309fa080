package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// connections is the number of the daemon's clients.
const connections = 5

// A world holds the servers in which the sessions run.
type world struct {
	o       options
	scratch string
	data    string // the daemon's data directory
	own     *eventlog.Dir
	mgr     *session.Manager // of the sessions in this process
	clients []*peer.Client
	kills   int
}

// newWorld starts both servers.
func newWorld(ctx context.Context, o options, scratch string) (*world, error) {
	binary := filepath.Join(scratch, "glasstty")
	if err := peer.Build(ctx, binary); err != nil {
		return nil, err
	}
	own, err := eventlog.OpenDir(filepath.Join(scratch, "own"))
	if err != nil {
		return nil, err
	}
	w := &world{o: o, scratch: scratch, data: filepath.Join(scratch, "data"), own: own}
	w.mgr = session.NewManager(session.Options{Data: own, MaxSessions: o.alive})
	for range connections {
		cmd := exec.Command(binary, "mcp", "--daemon", "--socket", filepath.Join(scratch, "run", "socket"), "--data-dir", w.data)
		cmd.Dir, cmd.Stderr = scratch, os.Stderr
		cmd.Env = []string{"HOME=" + scratch, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + scratch, "LANG=C.UTF-8"}
		c, err := peer.Connect(ctx, cmd)
		if err != nil {
			return nil, errors.Join(err, w.close())
		}
		w.clients = append(w.clients, c)
	}
	return w, nil
}

// close ends both servers.
func (w *world) close() error {
	for _, c := range w.clients {
		c.Close()
	}
	if pid, err := w.server(); err == nil {
		_ = syscall.Kill(pid, syscall.SIGTERM) // it ends its keeper too
		for limit := time.Now().Add(10 * time.Second); child.Alive(pid) && time.Now().Before(limit); {
			<-time.After(50 * time.Millisecond)
		}
	}
	return errors.Join(w.mgr.Close(), w.own.Close())
}

// server returns the daemon's process id.
func (w *world) server() (int, error) {
	text, err := os.ReadFile(filepath.Join(w.data, "lock"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// restart kills the daemon's server at intervals. Its clients start the next server.
func (w *world) restart(ended <-chan struct{}) {
	tick := time.NewTicker(w.o.restart)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		if pid, err := w.server(); err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
			w.kills++
		}
	}
}

// script is the program of the sessions. It repeats each line, and starts a process that must end
// with the session.
const script = "setsid -f env -i sleep 600 </dev/null >/dev/null 2>&1; while read -r x; do echo got $x; done"

// live runs one session of worker n.
func (w *world) live(ctx context.Context, n int, lifetime time.Duration) error {
	if n%2 == 0 {
		return w.liveHere(ctx, lifetime)
	}
	return w.liveThere(ctx, w.clients[n/2%connections], lifetime)
}

// liveHere runs a session in this process.
func (w *world) liveHere(ctx context.Context, lifetime time.Duration) error {
	s, err := w.mgr.Start(ctx, session.StartOptions{Command: "sh", Args: []string{"-c", script}})
	if err != nil {
		return err
	}
	wait := session.Wait{Pattern: regexp.MustCompile("got hello"), Timeout: time.Minute}
	r, err := s.Exchange(ctx, session.Input{Text: "hello", Enter: true}, wait, nil)
	if err == nil && !strings.Contains(r.Output, "got hello") {
		err = fmt.Errorf("session %s in this process: %s, output %q", s.ID(), r.Reason, r.Output)
	}
	pause(ctx, lifetime)
	_, terr := s.Terminate(context.WithoutCancel(ctx), session.TerminateOptions{Force: true})
	return errors.Join(err, terr, w.mgr.Delete(s.ID()))
}

// liveThere runs a session of the daemon.
func (w *world) liveThere(ctx context.Context, c *peer.Client, lifetime time.Duration) error {
	call := func(tool string, args map[string]any) (map[string]any, error) {
		res, err := c.Call(ctx, tool, args)
		if err == nil && res.IsError {
			err = fmt.Errorf("%s: %s", tool, peer.Text(res))
		}
		if err != nil {
			return nil, err
		}
		out, _ := res.StructuredContent.(map[string]any)
		return out, nil
	}
	started, err := call("start_process", map[string]any{"command": "sh", "args": []any{"-c", script}, "until": "none"})
	if err != nil {
		return err
	}
	id := started["session_id"]
	_, err = call("send_and_read", map[string]any{"session_id": id, "text": "hello", "press_enter": true, "wait_for": "got hello", "timeout": 60})
	pause(ctx, lifetime)
	_, terr := call("terminate_process", map[string]any{"session_id": id, "force": true})
	_, derr := call("delete_session", map[string]any{"session_id": id})
	return errors.Join(err, terr, derr)
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
