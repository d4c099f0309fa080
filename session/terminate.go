package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The bounds of a termination.
const (
	// DefaultGrace is how long a child may take to end after the first signal.
	DefaultGrace = 5 * time.Second
	// MaxGrace is the longest grace period.
	MaxGrace = 60 * time.Second
	// killLimit is how long descendants may take to vanish after SIGKILL.
	killLimit = 3 * time.Second
	// killRound is how often the process table is read anew meanwhile: a
	// descendant may have forked between the look and the signal.
	killRound = 10 * time.Millisecond
)

// TerminateOptions say how to end a child.
type TerminateOptions struct {
	Force  bool          // SIGKILL at once
	Grace  time.Duration // before SIGKILL, default DefaultGrace
	Signal string        // the first signal, default SIGTERM
}

// signals are those that a caller may name.
func signals() map[string]syscall.Signal {
	return map[string]syscall.Signal{
		"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "SIGHUP": syscall.SIGHUP,
		"SIGQUIT": syscall.SIGQUIT, "SIGKILL": syscall.SIGKILL, "SIGUSR1": syscall.SIGUSR1,
		"SIGUSR2": syscall.SIGUSR2, "SIGCONT": syscall.SIGCONT, "SIGABRT": syscall.SIGABRT,
	}
}

// parseSignal returns the signal that name names, "TERM", "sigterm" or "15".
func parseSignal(name string) (syscall.Signal, error) {
	if name == "" {
		return syscall.SIGTERM, nil
	}
	all := signals()
	upper := strings.ToUpper(name)
	if !strings.HasPrefix(upper, "SIG") {
		upper = "SIG" + upper
	}
	if sig, ok := all[upper]; ok {
		return sig, nil
	}
	var names []string
	for n, sig := range all {
		names = append(names, n)
		if name == fmt.Sprint(int(sig)) {
			return sig, nil
		}
	}
	slices.Sort(names)
	return 0, fmt.Errorf("%w: signal %q; allowed are %s", ErrArgument, name, strings.Join(names, ", "))
}

// Terminate ends the child and all its descendants and returns its exit code.
// A child that has already ended gives its code, and what it left is ended.
func (s *Session) Terminate(ctx context.Context, o TerminateOptions) (int, error) {
	sig, err := parseSignal(o.Signal)
	if err != nil {
		return 0, err
	}
	if o.Grace == 0 {
		o.Grace = DefaultGrace
	}
	if o.Grace < 0 || o.Grace > MaxGrace {
		return 0, fmt.Errorf("%w: grace_period is %s; allowed are 0 to %s", ErrArgument, o.Grace, MaxGrace)
	}
	if o.Force {
		sig, o.Grace = syscall.SIGKILL, 0
	}
	if err := s.end(ctx, sig, o.Grace); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.exitCode, nil
}

// end signals the child's tree, kills what is left after the grace period, and
// returns when the child is reaped and no descendant lives.
func (s *Session) end(ctx context.Context, sig syscall.Signal, grace time.Duration) error {
	pid := s.cmd.Process.Pid
	// Found before the child ends: its orphans are harder to tell.
	left := descendants(pid, s.tag, !s.running())
	if s.running() {
		signalTree(pid, left, sig)
		if sig == syscall.SIGTERM && hangsUp(pid) {
			// An interactive shell, which ends when its terminal hangs up. Any
			// other program that ignores the signal has the grace period.
			_ = syscall.Kill(pid, syscall.SIGHUP)
		}
		if err := s.waitExit(ctx, grace); err != nil {
			return err
		}
	}
	return s.killAll(ctx, left)
}

// signalTree sends sig to the child's process group and to its descendants. A
// stopped process acts on the signal only when it goes on.
func signalTree(pid int, below []int, sig syscall.Signal) {
	_ = syscall.Kill(-pid, sig)
	for _, p := range below {
		_ = syscall.Kill(p, sig)
	}
	_ = syscall.Kill(-pid, syscall.SIGCONT)
	for _, p := range below {
		_ = syscall.Kill(p, syscall.SIGCONT)
	}
}

// waitExit waits for the child to end, at most for grace.
func (s *Session) waitExit(ctx context.Context, grace time.Duration) error {
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-s.exited:
	case <-t.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// killAll sends SIGKILL to the child while it runs, to those of left that live
// and to whatever descends from it, until nothing does.
func (s *Session) killAll(ctx context.Context, left []int) error {
	pid := s.cmd.Process.Pid
	limit := time.NewTimer(killLimit)
	defer limit.Stop()
	round := time.NewTicker(killRound)
	defer round.Stop()
	for {
		running := s.running()
		if running {
			_ = s.cmd.Process.Kill()
		}
		left = slices.DeleteFunc(append(left, descendants(pid, s.tag, !running)...), func(p int) bool { return !alive(p) })
		slices.Sort(left)
		left = slices.Compact(left)
		if !running && len(left) == 0 {
			return nil
		}
		for _, p := range left {
			_ = syscall.Kill(p, syscall.SIGKILL)
		}
		select {
		case <-round.C:
		case <-limit.C:
			return fmt.Errorf("end session %s (%s): %w: pids %v", s.id, s.opt.Command, errLeftBehind, left)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// close ends the child and its descendants and returns when the session's
// loops are gone.
func (s *Session) close(grace time.Duration) {
	s.once.Do(func() { close(s.closing) })
	sig := syscall.SIGKILL
	if grace > 0 {
		// SIGHUP is what a closed terminal sends.
		sig = syscall.SIGHUP
	}
	_ = s.end(context.Background(), sig, grace)
	s.queue.fail()
	_ = s.pty.Close()
	_ = s.in.Close() // again, where it is the same: harmless
	s.loops.Wait()
}

// endStrangers kills the daemons that no session could be found for, and reaps
// all that this process has adopted.
func (m *Manager) endStrangers() error {
	limit := time.NewTimer(killLimit)
	defer limit.Stop()
	round := time.NewTicker(killRound)
	defer round.Stop()
	for {
		living, zombies := strangers(m.knows)
		for _, pid := range zombies {
			reap(pid)
		}
		if len(living) == 0 {
			return nil
		}
		for _, pid := range living {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		select {
		case <-round.C:
		case <-limit.C:
			return errors.Join(errLeftBehind, fmt.Errorf("pids %v", living))
		}
	}
}
