package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// A recoveryFigure describes the recovery of sessions whose server was killed.
type recoveryFigure struct {
	took    time.Duration // from the start of the next server to its list of sessions
	log     time.Duration // the same without saved states; 0 for a server that saves none
	running int           // sessions whose programs still run
	right   int           // sessions whose screen is the same as before
}

// lastLine is the last line that the programs print before the server is killed.
const lastLine = "the end"

// recovery kills the server of n sessions, each with mb megabytes of output.
func (s *server) recovery(ctx context.Context, n, mb int) (f recoveryFigure, err error) {
	script := fmt.Sprintf(`BEGIN { while (n < %d) { s = sprintf("\033[3%%dmline %%d of a log\033[0m %%s", i %% 8, i, "some words to fill it up to about eighty"); print s; n += length(s) + 2; i++ }; print "%s"; fflush(); getline }`, mb<<20, lastLine)
	err = s.each(ctx, n, func(ctx context.Context, c *peer.Client, _ int) error {
		id, err := startSession(ctx, c, "awk", script)
		for ctx.Err() == nil && err == nil && !s.shows(ctx, c, id) {
			peer.Pause(ctx, 200*time.Millisecond)
		}
		return err
	})
	if err != nil {
		return f, err
	}
	if s.keeps {
		if err := s.saved(ctx, n); err != nil {
			return f, err
		}
	}
	if f.took, err = s.restart(ctx); err != nil || !s.keeps {
		f.running = len(s.sessions(ctx))
		return f, err
	}
	ids := s.sessions(ctx)
	f.running = len(ids)
	for _, id := range ids {
		if s.shows(ctx, s.first, id) {
			f.right++
		}
	}
	states, err := s.states()
	if err != nil {
		return f, err
	}
	for _, name := range states {
		if err := os.Remove(name); err != nil {
			return f, err
		}
	}
	f.log, err = s.restart(ctx)
	return f, err
}

// states returns the files of the states that the sessions have saved.
func (s *server) states() ([]string, error) {
	return filepath.Glob(filepath.Join(s.home, "data", "sessions", "*", "*.state"))
}

// saveLimit is the time that the sessions may take to save their states.
const saveLimit = 30 * time.Second

// saved waits until each of n sessions has saved a state, so that the next server uses them.
func (s *server) saved(ctx context.Context, n int) error {
	for limit := time.Now().Add(saveLimit); ; {
		states, err := s.states()
		if err != nil {
			return err
		}
		sessions := map[string]bool{}
		for _, name := range states {
			sessions[filepath.Dir(name)] = true
		}
		if len(sessions) >= n {
			return nil
		}
		if time.Now().After(limit) || !peer.Pause(ctx, 50*time.Millisecond) {
			return fmt.Errorf("%d of %d sessions have saved a state", len(sessions), n)
		}
	}
}

// restart kills the server and starts the next one.
func (s *server) restart(ctx context.Context) (took time.Duration, err error) {
	s.first.Kill()
	from := time.Now()
	if s.first, err = s.start(ctx); err != nil {
		return 0, err
	}
	if _, err := s.first.Call(ctx, "list_sessions", nil); err != nil {
		return 0, err
	}
	return time.Since(from), nil
}

// shows reports whether a session has printed everything.
func (s *server) shows(ctx context.Context, c *peer.Client, id string) bool {
	tool, args := "snapshot", map[string]any{"session_id": id}
	if !s.keeps {
		tool, args = "read_output", map[string]any{"session_id": id, "timeout": 1}
	}
	res, err := c.Call(ctx, tool, args)
	return err == nil && strings.Contains(peer.Text(res), lastLine)
}
