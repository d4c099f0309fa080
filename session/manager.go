package session

import (
	"context"
	"time"

	"github.com/glasstty/glasstty/emulator"
)

// Options configure a Manager. The zero value gives the defaults.
type Options struct {
	MaxSessions int // default 100
	Terminal    emulator.Options
}

// A Manager owns a set of sessions. It is safe for concurrent use.
type Manager struct{}

// NewManager returns an empty Manager.
func NewManager(o Options) *Manager { panic("not yet") }

// Start starts a child on a new PTY. The session lives until it is deleted or
// the Manager is closed; ctx bounds only the start.
func (m *Manager) Start(ctx context.Context, o StartOptions) (*Session, error) { panic("not yet") }

// Session returns the session with this id, or with this name when only one has it.
func (m *Manager) Session(ref string) (*Session, error) { panic("not yet") }

// List returns all sessions, oldest first.
func (m *Manager) List() []Info { panic("not yet") }

// Delete forgets a session whose child has ended.
func (m *Manager) Delete(ref string) error { panic("not yet") }

// Close ends all children (process groups, and on Linux stray descendants) and
// returns when none is left.
func (m *Manager) Close() error { panic("not yet") }

// A Session is one child on one terminal. It is safe for concurrent use.
type Session struct{}

// ID returns the session's short id.
func (s *Session) ID() string { panic("not yet") }

// Info returns the session's facts.
func (s *Session) Info() Info { panic("not yet") }

// Type queues in for the child without waiting and returns the bytes accepted.
func (s *Session) Type(ctx context.Context, in Input) (int, error) { panic("not yet") }

// Exchange types in (nothing when it is empty), waits as w says and returns
// what came. It ends early, with ctx's error, when ctx ends. progress, when not
// nil, is called about every second while it waits.
func (s *Session) Exchange(ctx context.Context, in Input, w Wait, progress func(elapsed time.Duration, note string)) (*Reply, error) {
	panic("not yet")
}

// Read returns unread output at once; see read_output in the tool contract.
func (s *Session) Read(ctx context.Context, o ReadOptions, w Wait, progress func(elapsed time.Duration, note string)) (*Reply, []SearchHit, error) {
	panic("not yet")
}

// Snapshot returns a copy of the screen with scrollback rows above it (-1: all).
func (s *Session) Snapshot(scrollback int) *emulator.Snapshot { panic("not yet") }

// Resize changes PTY and screen together; a zero field keeps its value.
func (s *Session) Resize(rows, cols int) (emulator.Size, error) { panic("not yet") }

// TerminateOptions say how to end a child.
type TerminateOptions struct {
	Force  bool          // SIGKILL at once
	Grace  time.Duration // before SIGKILL, default 5 s
	Signal string        // the first signal, default SIGTERM
}

// Terminate ends the child and all its descendants and returns its exit code.
func (s *Session) Terminate(ctx context.Context, o TerminateOptions) (int, error) { panic("not yet") }

// AddReader registers a reader that starts at the oldest kept output.
func (s *Session) AddReader() (int, error) { panic("not yet") }

// RemoveReader unregisters a reader; reader 0 cannot go.
func (s *Session) RemoveReader(id int) error { panic("not yet") }
