// Command soak starts thousands of sessions, types into them, ends them, and checks
// whether anything is left of them. Half of the sessions are in this process, the
// other half belong to a daemon whose server is killed every minute while the
// keeper continues.
//
//	go run ./internal/bench/soak                            10,000 sessions in 30 minutes
//	go run ./internal/bench/soak -sessions 1000 -for 3m     a short run
//
// It compares open files, processes and memory after the first 500 sessions with
// those at the end, both times with no session alive. The exit status is 1 if
// something has grown by more than -slack allows.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// options are the command's flags.
type options struct {
	sessions, first, alive int
	length                 time.Duration
	restart                time.Duration
	slack                  int64
}

func main() {
	var o options
	flag.IntVar(&o.sessions, "sessions", 10_000, "how many `sessions`")
	flag.IntVar(&o.first, "first", 500, "after how many the first look is taken")
	flag.IntVar(&o.alive, "alive", 50, "how many are alive at any time")
	flag.DurationVar(&o.length, "for", 30*time.Minute, "how long it takes at least")
	flag.DurationVar(&o.restart, "restart", time.Minute, "how often the server is killed")
	flag.Int64Var(&o.slack, "slack", 2<<20, "`bytes` that a process may have grown by")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// run does all of it.
func run(ctx context.Context, o options) (err error) {
	scratch, err := os.MkdirTemp("", "soak")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if err := os.Setenv("TMPDIR", scratch); err != nil { // what sessions leave there is counted
		return err
	}
	w, err := newWorld(ctx, o, scratch)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	began := time.Now()
	if err := w.work(ctx, o.first); err != nil {
		return err
	}
	before, err := w.look()
	if err != nil {
		return err
	}
	fmt.Printf("after %5d sessions: %v\n", o.first, before)
	if err := w.work(ctx, o.sessions-o.first); err != nil {
		return err
	}
	after, err := w.look()
	if err != nil {
		return err
	}
	fmt.Printf("after %5d sessions: %v\n", o.sessions, after)
	fmt.Printf("%d sessions in %v, the server was killed %d times\n", o.sessions, time.Since(began).Round(time.Second), w.kills)
	return before.grown(after, o.slack)
}

// work runs the given number of sessions, spread over their part of the time.
func (w *world) work(ctx context.Context, sessions int) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	lifetime := time.Duration(float64(w.o.length) * float64(w.o.alive) / float64(w.o.sessions))
	var left atomic.Int64
	left.Store(int64(sessions))
	var all sync.WaitGroup
	for n := range w.o.alive {
		all.Go(func() {
			for ctx.Err() == nil && left.Add(-1) >= 0 {
				if err := w.live(ctx, n, lifetime); err != nil {
					stop(err)
				}
			}
		})
	}
	ended := make(chan struct{})
	restarts := make(chan struct{})
	go func() {
		defer close(restarts)
		w.restart(ended)
	}()
	all.Wait()
	close(ended)
	<-restarts
	return context.Cause(ctx)
}
