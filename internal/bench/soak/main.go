// Command soak starts thousands of sessions, types into them, ends them, and checks whether they
// leave anything behind. Half of the sessions run in this process. The other half belong to a daemon
// whose server is killed every minute, while its keeper goes on running.
//
//	go run ./internal/bench/soak                            10,000 sessions in 30 minutes
//	go run ./internal/bench/soak -sessions 1000 -for 3m     a short run
//
// It compares open files, processes, directories, goroutines and memory after the first 500 sessions
// with those at the end, both times with no session alive. The exit status is 1 if memory has grown
// by more than -slack, or another count has grown.
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
	flag.IntVar(&o.sessions, "sessions", 10_000, "number of `sessions`")
	flag.IntVar(&o.first, "first", 500, "number of sessions before the first count")
	flag.IntVar(&o.alive, "alive", 50, "number of sessions alive at once")
	flag.DurationVar(&o.length, "for", 30*time.Minute, "minimum duration of the run")
	flag.DurationVar(&o.restart, "restart", time.Minute, "interval at which the server is killed")
	flag.Int64Var(&o.slack, "slack", 2<<20, "`bytes` of memory by which a process may grow")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// run runs the sessions and compares the counts.
func run(ctx context.Context, o options) (err error) {
	scratch, err := os.MkdirTemp("", "soak")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if err := os.Setenv("TMPDIR", scratch); err != nil { // count looks for leftovers there
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
	before, err := w.count()
	if err != nil {
		return err
	}
	fmt.Printf("after %5d sessions: %v\n", o.first, before)
	if err := w.work(ctx, o.sessions-o.first); err != nil {
		return err
	}
	after, err := w.count()
	if err != nil {
		return err
	}
	fmt.Printf("after %5d sessions: %v\n", o.sessions, after)
	fmt.Printf("%d sessions in %v, the server was killed %d times\n", o.sessions, time.Since(began).Round(time.Second), w.kills)
	return before.grown(after, o.slack)
}

// work runs the given number of sessions, spread over the same share of the run's duration.
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
