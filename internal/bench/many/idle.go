package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// conns is the number of connections that share the work.
const conns = 8

// each calls do n times, concurrently over the server's connections.
func (s *server) each(ctx context.Context, n int, do func(context.Context, *peer.Client, int) error) error {
	list, err := s.connections(ctx, min(conns, max(n, 1)))
	defer func() {
		for _, c := range list {
			c.Close()
		}
	}()
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	errs := make(chan error, len(list))
	for i, c := range list {
		all.Go(func() {
			for k := i; k < n; k += len(list) {
				if err := do(ctx, c, k); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	all.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

// An idleFigure holds the cost of idle sessions.
type idleFigure struct {
	server, keeper, program float64 // memory in kB per session
	cpu                     float64 // percent of one processor
	wakes                   float64 // how often threads of server and keeper wake up, per minute
}

// memory returns the memory of server, keeper and programs.
func (s *server) memory() (m [3]int64, err error) {
	pids := s.pids()
	for i, pid := range pids {
		if m[min(i, 1)], err = pss(pid); err != nil {
			return m, err
		}
	}
	for _, pid := range below(pids) {
		if n, err := pss(pid); err == nil { // it may have ended
			m[2] += n
		}
	}
	return m, nil
}

// idle measures n sessions at rest.
func (s *server) idle(ctx context.Context, n int, rest time.Duration) (f idleFigure, err error) {
	// The first session starts the keeper.
	if _, err := startSession(ctx, s.first, "cat"); err != nil {
		return f, err
	}
	before, err := s.memory()
	if err != nil {
		return f, err
	}
	err = s.each(ctx, n, func(ctx context.Context, c *peer.Client, _ int) error {
		_, err := startSession(ctx, c, "cat")
		return err
	})
	if err != nil {
		return f, err
	}
	peer.Pause(ctx, rest) // until the work that the starts cause is done
	pids := s.pids()
	from, err := cpu(pids)
	if err != nil {
		return f, err
	}
	began, woken := time.Now(), wakes(pids)
	peer.Pause(ctx, rest)
	woken = wakes(pids) - woken
	took := time.Since(began)
	to, err := cpu(pids)
	if err != nil {
		return f, err
	}
	after, err := s.memory()
	if err != nil {
		return f, err
	}
	if got := len(s.sessions(ctx)); got < n {
		return f, fmt.Errorf("only %d of %d sessions run", got, n)
	}
	share := func(i int) float64 { return float64(after[i]-before[i]) / float64(n) / 1024 }
	return idleFigure{
		share(0), share(1), share(2),
		100 * (to - from).Seconds() / took.Seconds(), float64(woken) / took.Minutes(),
	}, ctx.Err()
}
