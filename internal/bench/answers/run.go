package main

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"sync"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// A lane drives sessions of one server, one after another.
type lane struct {
	srv     server
	watch   time.Duration // quiet after a reply before the answer counts as over
	starts  *sync.Mutex   // one session starts at a time, so that its terminal is known
	known   *terminals
	results chan<- outcome
}

// The runner's waits. None is part of a measured time.
const (
	watchQuiet  = 80 * time.Millisecond  // after a reply that holds the last line
	watchLoad   = 400 * time.Millisecond // the same with every core busy
	watchCut    = 3 * time.Second        // after one that lacks it
	watchMost   = 30 * time.Second
	bootQuiet   = 500 * time.Millisecond // after the start of a program
	readyQuiet  = 250 * time.Millisecond // after a line of its setup
	readyMost   = 20 * time.Second
	callTimeout = sendTimeout + 15*time.Second
)

// runServer makes all batches on one server and returns the outcomes.
func runServer(ctx context.Context, srv server, batches []batch, lanes int, load bool) []outcome {
	work := make(chan batch)
	results := make(chan outcome)
	l := lane{srv: srv, watch: watchQuiet, starts: &sync.Mutex{}, known: &terminals{open: map[string]bool{}}, results: results}
	if load {
		l.watch = watchLoad
	}
	var wg sync.WaitGroup
	for range lanes {
		wg.Go(func() {
			for b := range work {
				l.batch(ctx, b)
			}
		})
	}
	go func() {
		for _, b := range batches {
			work <- b
		}
		close(work)
		wg.Wait()
		close(results)
	}()
	var out []outcome
	for o := range results {
		out = append(out, o)
	}
	return out
}

// batch makes the trials of a batch, in a new session whenever one was lost.
func (l *lane) batch(ctx context.Context, b batch) {
	for left := b.trials; len(left) > 0; {
		if ctx.Err() != nil {
			return
		}
		s, err := l.open(ctx, b.kind)
		if err != nil {
			for _, t := range left {
				l.results <- judge(b.kind, t, observation{err: err}, nil)
			}
			return
		}
		n := s.trials(ctx, left)
		s.end()
		left = left[n:]
	}
}

// terminals holds the terminals of open sessions. It is safe for concurrent use.
type terminals struct {
	mu   sync.Mutex
	open map[string]bool
}

// find returns the terminal of pid, or of its nearest descendant, that was not in
// use before, and remembers it. If a terminal's number was freed and reused since,
// the terminal is one that belongs to no open session.
func (t *terminals) find(pid int, before map[string]bool) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := maps.Clone(before)
	maps.Copy(known, t.open)
	path := ttyOf(pid, known)
	if path == "" {
		path = ttyOf(pid, t.open)
	}
	if path != "" {
		t.open[path] = true
	}
	return path
}

// forget removes a terminal, so that its number can be found again.
func (t *terminals) forget(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, path)
}

// An opened is a session under trial.
type opened struct {
	l      *lane
	k      kind
	s      session
	tap    *tap // nil where the program's writes cannot be seen
	path   string
	others []string
	noisy  time.Time // until then a background job may write
}

// open starts the kind's program, finds its terminal, and types the setup.
func (l *lane) open(ctx context.Context, k kind) (*opened, error) {
	l.starts.Lock()
	defer l.starts.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 2*callTimeout)
	defer cancel()
	before := terminalsInUse()
	s, err := l.srv.start(ctx, k)
	if err != nil {
		return nil, err
	}
	o := &opened{l: l, k: k, s: s}
	if err := o.listen(before); err != nil {
		o.end()
		return nil, err
	}
	boot := k.boot
	if boot == 0 {
		boot = bootQuiet
	}
	o.ready(ctx, boot)
	for _, line := range k.setup {
		if _, err := s.send(ctx, input{text: line, enter: true}); err != nil {
			o.end()
			return nil, fmt.Errorf("setup %q: %w", line, err)
		}
		o.ready(ctx, readyQuiet)
	}
	s.drain(ctx)
	return o, nil
}

// listen starts to tap the session's terminal, if it has one.
func (o *opened) listen(before map[string]bool) error {
	pid := o.s.pid()
	if pid == 0 || runtime.GOOS != "linux" {
		return nil
	}
	path := o.l.known.find(pid, before)
	if path == "" {
		return fmt.Errorf("process %d has no terminal", pid)
	}
	o.path = path
	t, err := newTap(path)
	if err != nil {
		return err
	}
	o.tap = t
	return nil
}

// ready waits until the program has been quiet for d, or longer under load.
func (o *opened) ready(ctx context.Context, d time.Duration) {
	if o.l.watch > watchQuiet {
		d *= 3
	}
	most := readyMost
	if o.k.tui != nil {
		most = 2 * time.Second // some never are
	}
	o.quiet(ctx, d, most)
}

// quiet waits until nothing was written for d, or for most at the latest.
func (o *opened) quiet(ctx context.Context, d, most time.Duration) {
	from := time.Now()
	if o.tap == nil {
		peer.Pause(ctx, 2*d)
		return
	}
	for time.Since(from) < most {
		since := from
		if w := o.tap.lastWrite(); w.After(from) {
			since = w
		}
		left := d - time.Since(since)
		if left <= 0 || !peer.Pause(ctx, max(left, time.Millisecond)) {
			return
		}
	}
}

// trials makes trials until one loses the session, and returns how many it made.
func (o *opened) trials(ctx context.Context, ts []*trial) int {
	for i, t := range ts {
		for ; t != nil; t = t.then {
			out := o.trial(ctx, t)
			o.l.results <- out
			if t.late != "" {
				o.others = append(o.others, t.late)
				o.noisy = time.Now().Add(t.lateLasts + jobSlack)
			}
			if out.failed != "" || ctx.Err() != nil {
				return i + 1
			}
			// A truncated or incomplete answer leaves the program in the middle.
			if t.then != nil && (out.early || out.skipped != "") {
				return i + 1
			}
		}
	}
	return len(ts)
}

// jobSlack is how much longer a background job may take than its pauses.
const jobSlack = time.Second

// trial makes one trial and judges it.
func (o *opened) trial(ctx context.Context, t *trial) outcome {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	ob := observation{tapped: o.tap != nil, noisy: time.Now().Before(o.noisy)}
	if o.tap != nil {
		o.tap.reset()
	}
	ob.sent = time.Now()
	ob.ans, ob.err = o.s.send(ctx, t.in)
	ob.returned = time.Now()
	if o.tap != nil {
		ob.returned = o.tap.now()
	}
	if ob.err == nil {
		o.settle(ctx, t, &ob)
	}
	if o.tap != nil {
		ob.writes = o.tap.since(ob.sent)
	}
	out := judge(o.k, t, ob, o.others)
	if out.early || out.wrong != "" {
		o.s.drain(ctx)
	}
	return out
}

// settle waits after the reply until the program has really finished.
func (o *opened) settle(ctx context.Context, t *trial, ob *observation) {
	there := holds(cleanLines(ob.ans.text), t)
	if there && t.rush {
		return
	}
	if left := t.lasts - time.Since(ob.sent); left > 0 {
		peer.Pause(ctx, left)
	}
	switch {
	case there && t.endless:
	case there && t.late != "":
		o.quiet(ctx, 500*time.Millisecond, watchMost)
	case there:
		o.quiet(ctx, o.l.watch, watchMost)
	case o.tap == nil:
		peer.Pause(ctx, time.Second)
	default:
		o.quiet(ctx, watchCut, watchMost)
	}
}

// end closes the session.
func (o *opened) end() {
	if o.tap != nil {
		o.tap.close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	o.s.close(ctx)
	o.l.known.forget(o.path)
}
