package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// A busyFigure holds the measurements of busy sessions.
type busyFigure struct {
	calls    int
	rate     float64 // calls per second
	p50, p99 time.Duration
	short    int // answers that lack the line
}

// busy types lines into n sessions at once, each with its own client.
func (s *server) busy(ctx context.Context, n, lines int) (f busyFigure, err error) {
	ids := make([]string, n)
	err = s.each(ctx, n, func(ctx context.Context, c *peer.Client, i int) (err error) {
		ids[i], err = startSession(ctx, c, "sh", "-c", "stty -echo; echo ready; while read x; do echo $x; done")
		return err
	})
	if err != nil {
		return f, err
	}
	list, err := s.connections(ctx, conns)
	defer func() {
		for _, c := range list {
			c.Close()
		}
	}()
	if err != nil {
		return f, err
	}
	var all sync.WaitGroup
	var mu sync.Mutex // guards times, f and err
	var times []time.Duration
	began := time.Now()
	for i, id := range ids {
		all.Go(func() {
			took, short, e := typeLines(ctx, list[i%len(list)], id, lines)
			mu.Lock()
			defer mu.Unlock()
			times = append(times, took...)
			f.short += short
			if e != nil {
				err = e
			}
		})
	}
	all.Wait()
	if err != nil || len(times) == 0 {
		return f, err
	}
	slices.Sort(times)
	f.calls, f.rate = len(times), float64(len(times))/time.Since(began).Seconds()
	f.p50, f.p99 = times[len(times)/2], times[len(times)*99/100]
	return f, nil
}

// typeLines types lines, each after the answer to the previous one. It returns the times of the
// calls and the number of answers that lack the line.
func typeLines(ctx context.Context, c *peer.Client, id string, lines int) (took []time.Duration, short int, err error) {
	for n := range lines {
		line := fmt.Sprintf("line-%d-of-%s", n, id)
		from := time.Now()
		f, err := call(ctx, c, "send_and_read", map[string]any{"session_id": id, "text": line, "press_enter": true})
		if err != nil {
			return took, short, err
		}
		took = append(took, time.Since(from))
		if out, _ := f["output"].(string); !strings.Contains(out, line) {
			short++
		}
	}
	return took, short, nil
}
