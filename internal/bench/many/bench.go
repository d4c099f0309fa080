package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// figures are the measurements of one server.
type figures struct {
	name     string
	idle     idleFigure
	busy     busyFigure
	recovery recoveryFigure
	failed   map[string]error // by part
}

// bench measures all servers and prints the figures.
func bench(ctx context.Context, o options, w io.Writer) error {
	scratch, err := os.MkdirTemp("", "many")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	all, err := servers(ctx, o, scratch)
	if err != nil {
		return err
	}
	var list []figures
	for _, s := range all {
		f := measure(ctx, s, o, scratch)
		if s.name == peer.Glasstty {
			for part, err := range f.failed {
				return fmt.Errorf("%s: %s: %w", s.name, part, err)
			}
		}
		list = append(list, f)
	}
	logs, err := logCost(scratch, o.mb<<20)
	if err != nil {
		return err
	}
	if o.process == "" {
		fmt.Fprintf(w, "%s is skipped because its checkout was not given\n\n", peer.Process)
	}
	report(w, o, list, logs)
	return ctx.Err()
}

// measure measures one server. Each part starts its own server.
func measure(ctx context.Context, s *server, o options, scratch string) figures {
	f := figures{name: s.name, failed: map[string]error{}}
	part := func(name string, n int, do func() error) {
		if n == 0 {
			return
		}
		err := s.begin(ctx, scratch)
		if err == nil {
			fmt.Fprintf(os.Stderr, "many: %s: %s\n", s.name, name)
			err = do()
			s.end(ctx)
		}
		if err != nil {
			f.failed[name] = err
		}
	}
	part(partIdle, o.idle, func() (err error) {
		f.idle, err = s.idle(ctx, o.idle, o.rest)
		return err
	})
	part(partBusy, o.busy, func() (err error) {
		f.busy, err = s.busy(ctx, o.busy, o.lines)
		return err
	})
	part(partRecovery, o.old, func() (err error) {
		f.recovery, err = s.recovery(ctx, o.old, o.mb)
		return err
	})
	return f
}

// The parts.
const (
	partIdle     = "idle"
	partBusy     = "busy"
	partRecovery = "recovery"
)
