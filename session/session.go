package session

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/queue"
	"github.com/glasstty/glasstty/session/ready"
	"github.com/glasstty/glasstty/session/state"
	"github.com/glasstty/glasstty/session/text"
)

// A Session is one child on a terminal or on pipes. It is safe for concurrent use.
type Session struct {
	m  *Manager // owns the session
	id string   // such as "s1"
	origin
	child child.Child
	queue *queue.Queue
	loops loops

	// mu guards the fields below. Code that holds mu does not block on a PTY, a channel or a
	// callback.
	mu       sync.Mutex
	changed  chan struct{} // closed and replaced at every change that may end a wait
	state    *state.State
	ready    ready.Watch
	guard    guarded
	keyboard keyboard
	readers  readerSet
	life     life
	end      ending
	log      sessionLog
}

// An origin records how a session was started. It does not change once the session's loops run.
type origin struct {
	opt       StartOptions
	startCall string         // the name of the call that started the session, see WithCall; or ""
	box       *sandbox.State // nil if the program has no sandbox
	created   time.Time
}

// ID returns the session's id, such as "s1".
func (s *Session) ID() string { return s.id }

// locked calls get with s's mutex held.
func locked[T any](s *Session, get func() T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return get()
}

// notifyLocked wakes all calls that wait for a change.
func (s *Session) notifyLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// until calls look, with the mutex held, until look returns done. It calls look at every change and, if
// lookAfter is positive, when lookAfter has passed. until returns false if ctx, the child or the session
// ends first.
func (s *Session) until(ctx context.Context, look func() (done bool, lookAfter time.Duration)) bool {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		s.mu.Lock()
		done, lookAfter := look()
		changed := s.changed
		s.mu.Unlock()
		if done {
			return true
		}
		if lookAfter > 0 {
			timer.Reset(lookAfter)
		}
		select {
		case <-changed:
		case <-timer.C:
		case <-s.loops.exited:
			return false
		case <-s.loops.closing.Done():
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// Info returns the session's facts.
func (s *Session) Info() Info {
	tty := s.ready.LookTTY()
	info := s.Facts()
	s.mu.Lock()
	where := s.ready.Where(tty, s.opt.Dir)
	s.mu.Unlock()
	mask := s.m.mask()
	cwd, foreground := where()
	info.Cwd, info.Foreground = mask.Text(cwd), mask.Text(foreground)
	return info
}

// Facts is Info without Cwd and Foreground, for which Info asks the kernel.
func (s *Session) Facts() Info {
	s.mu.Lock()
	info := Info{
		ID: s.id, Name: s.opt.Name,
		Command: s.opt.Command, Args: slices.Clone(s.opt.Args),
		Pipe:      s.opt.Pipe,
		Status:    s.end.status,
		ExitCode:  s.end.exitCode(),
		PID:       s.child.PID(),
		CreatedAt: s.created, LastActivity: slices.MinFunc([]time.Time{s.state.Activity, time.Now()}, time.Time.Compare), // a damaged log may contain future times
		Size:       s.state.Term.Size(),
		Title:      s.state.Term.Title(),
		LastReason: s.state.Reason,
		Client:     s.opt.Client, Dir: s.opt.Dir,
		AtPrompt:    s.state.Marks.Prompted,
		OutputAt:    s.state.LastOutput,
		LastCommand: s.state.Marks.LastCommand(),
		BytesIn:     s.state.BytesIn,
		BytesOut:    s.state.Raw.Total,
		Modes:       s.state.Term.Modes(),
		Keyboard:    s.keyboard.Holding(),
		Ended:       s.end.why,
		Log:         s.log.note(s.child.LogStatus(), s.created),
		Sandbox:     s.box,
		Readers:     slices.Sorted(maps.Keys(s.readers.All)),
		Asks:        s.state.AwaitsInput(),
		Answers:     s.guard.Answers,
	}
	if info.Status != StatusRunning && info.LastReason != detect.Exited {
		info.LastReason = "" // the program no longer waits
	}
	if s.state.Last.Started {
		info.TypedBy, info.TypedAt = s.state.Last.By, s.state.Last.Time
	}
	if s.state.Marks.Running {
		info.BusySince = s.state.Marks.Since
	}
	s.mu.Unlock()
	info.hide(s.m.mask())
	return info
}

// Snapshot returns a copy of the screen with secrets hidden, and up to scrollback rows above the screen (-1: all).
func (s *Session) Snapshot(scrollback int) *emulator.Snapshot {
	s.mu.Lock()
	hidden := s.m.mask().CopyScreen(s.state.Term, scrollback, s.end.status == StatusRunning)
	s.mu.Unlock()
	return hidden()
}

// LastText returns the last line of the screen that contains a letter or a digit, with secrets hidden; see
// text.LastLine.
func (s *Session) LastText(atPrompt bool) string {
	s.mu.Lock()
	first, row, last := text.LastLine(s.state.Term, atPrompt)
	if last == "" || s.m.mask() == nil {
		s.mu.Unlock()
		return last
	}
	hidden := s.m.mask().CopyScreen(s.state.Term, 0, s.end.status == StatusRunning) // a secret may span rows
	s.mu.Unlock()
	return text.Joined(hidden().Screen[first : row+1])
}

// resizeLimit is the maximum duration of a resize, which first applies all earlier output.
const resizeLimit = 5 * time.Second

// Resize resizes the PTY and the screen together; a zero argument keeps the current value. It returns
// when the screen has the new size, or with an error after resizeLimit.
func (s *Session) Resize(rows, cols int) (emulator.Size, error) {
	s.mu.Lock()
	now := s.state.Term.Size()
	size := emulator.Size{Rows: cmp.Or(rows, now.Rows), Cols: cmp.Or(cols, now.Cols)}
	err := checkSize(size)
	switch {
	case err != nil:
	case s.opt.Pipe:
		err = fmt.Errorf("%w: session %s cannot be resized", ErrPipe, s.id)
	case s.end.status != StatusRunning:
		err = s.errExitedLocked("resized")
	}
	s.mu.Unlock()
	if err != nil || size == now {
		return now, err
	}
	if err := s.child.Resize(child.Size(size)); err != nil {
		return size, fmt.Errorf("resize session %s: %w", s.id, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), resizeLimit)
	defer cancel()
	if s.until(ctx, func() (bool, time.Duration) { return s.state.Term.Size() == size, 0 }) {
		return size, nil
	}
	if s.loops.running() {
		return size, fmt.Errorf("resize session %s: its output has not been read up to the change within %s", s.id, resizeLimit)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Term.Size(), s.errExitedLocked("resized")
}

func (s *Session) applyResize(size child.Size) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Apply(time.Now(), &eventlog.Event{Kind: eventlog.Resize, Rows: size.Rows, Cols: size.Cols})
	for _, r := range s.readers.All {
		s.state.PullBack(r)
	}
	s.ready.SetStale()
	s.notifyLocked()
}
