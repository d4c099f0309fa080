package session

import (
	"cmp"
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/session/child"
)

// DefaultGrace is the default of TerminateOptions.Grace.
const DefaultGrace = 5 * time.Second

// TerminateOptions configure Terminate.
type TerminateOptions struct {
	Force  bool          // send SIGKILL at once; Grace and Signal are ignored
	Grace  time.Duration // the time between the first signal and SIGKILL; default DefaultGrace
	Signal string        // the first signal; default SIGTERM
}

// Terminate ends the child and all its descendants, and returns the child's exit code. If the child has
// already ended, Terminate ends the descendants that are left. The exit code of a lost child is not known;
// the returned number means nothing.
func (s *Session) Terminate(ctx context.Context, o TerminateOptions) (int, error) {
	sig, err := child.ParseSignal(o.Signal)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrArgument, err)
	}
	o.Grace = cmp.Or(o.Grace, DefaultGrace)
	if o.Force {
		sig, o.Grace = syscall.SIGKILL, 0
	}
	if err := s.finish(ctx, sig, o.Grace); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end.code, nil
}

// finish signals the child's tree, kills the remaining processes after the grace period, and
// returns when the session has exited and no descendant lives.
func (s *Session) finish(ctx context.Context, sig syscall.Signal, grace time.Duration) error {
	if err := s.child.End(ctx, sig, grace); err != nil {
		return fmt.Errorf("end session %s (%s): %w", s.id, s.opt.Command, err)
	}
	select {
	case <-s.loops.exited:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// close ends the child and its descendants and returns when the session's loops have ended.
func (s *Session) close(grace time.Duration) {
	s.loops.stop()
	sig := syscall.SIGKILL
	if grace > 0 {
		sig = syscall.SIGHUP // which programs get when a terminal is closed
	}
	_ = s.finish(context.Background(), sig, grace)
	s.queue.Fail()
	s.child.Close()
	s.loops.Wait()
}
