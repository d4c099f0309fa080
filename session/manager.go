package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/allowlist"
	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/confine"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/limit"
	"github.com/glasstty/glasstty/session/mask"
)

// DefaultMaxSessions is the default of Options.MaxSessions.
const DefaultMaxSessions = 100

// maxName is the maximum length of a session name in bytes.
const maxName = 64

// Options configure a Manager. The zero value gives the defaults.
type Options struct {
	// PersonHint returns a hint that says how a person can type into a session; replies show the hint
	// at password prompts. If PersonHint is nil, they show none.
	PersonHint  func(id string) string
	MaxSessions int              // default DefaultMaxSessions
	Limits      Limits           // of each session
	Terminal    emulator.Options // of each session; each start sets the size
	Version     string           // passed to children as TERM_PROGRAM_VERSION; default "dev"
	Children    child.Owner      // starts and owns the children; default: this process
	// Data is the directory of the session logs; nil keeps the logs in memory. Log has the limits of
	// logs on disk. The caller closes Data after the Manager. If Children is set, the owner of the
	// children keeps the logs: Data is ignored, and Log is used only to name its limit in errors.
	Data *eventlog.Dir
	Log  eventlog.Options
	// Danger checks starts and inputs; nil disables the check. See package guard.
	Danger *danger.Checker
	// Programs lists the programs that may be started, and in which directories; nil allows all.
	Programs *allowlist.List
	// Confine says which programs get a sandbox and which variables are withheld. A session may
	// also ask for a sandbox itself.
	Confine confine.Rules
	// Mask hides secrets in everything that leaves the sessions; nil hides nothing.
	Mask *mask.Mask
	// MaskLog also hides secrets in logs on disk, so a session that is rebuilt from such a log lacks
	// them. If Children is set, the owner of the children masks the logs.
	MaskLog bool
	// Audit records starts, inputs and exits; nil disables the record.
	Audit *audit.Log
	// WriteHistory lets shells and REPLs write the user's history files, as in the user's own
	// terminals. Otherwise they write other files; see package histfile.
	WriteHistory bool
	// LostHint is the hint in replies of lost sessions. If it is empty, the hint says how the
	// session was lost.
	LostHint string
	// Forget, if not nil, is called with the directory of a session's log before the log is removed.
	// byUser is false if the session is removed to make room for another.
	Forget func(dir string, byUser bool) error
	// Outlive says that the children keep running when this process ends, and that another
	// server takes the sessions over.
	Outlive bool
}

// A Manager owns a set of sessions. It is safe for concurrent use.
type Manager struct {
	opt   Options
	owner child.Owner   // the owner of the sessions' children
	done  chan struct{} // closed when Close or Leave has finished

	// starts is a semaphore: children are started one at a time. A start may take long, so mu is not
	// locked during the start. starts is acquired before mu.
	starts chan struct{}

	heldMu sync.Mutex                 // guards held
	held   guard.Starts[StartOptions] // the starts that wait for a confirmation

	mu       sync.Mutex // guards the fields below
	sessions []*Session // oldest first
	next     int        // number of the next session
	starting string     // the id of the session that is being started, or ""
	closed   bool
	refusal  error         // the error that Start returns instead of starting a session, or nil; see RefuseStarts
	changes  uint64        // counts how often sessions were added to or removed from the list
	changed  chan struct{} // closed and replaced at every change
}

// NewManager returns an empty Manager. Its Close and Leave close o.Children.
func NewManager(o Options) *Manager {
	if o.MaxSessions <= 0 {
		o.MaxSessions = DefaultMaxSessions
	}
	o.Limits = o.Limits.WithDefaults(DefaultMaxOutputChars)
	o.Terminal.ScrollbackLines = cmp.Or(o.Terminal.ScrollbackLines, o.Limits.Scrollback)
	o.Version = cmp.Or(o.Version, "dev")
	if o.MaskLog && o.Mask != nil {
		o.Log.Mask = o.Mask
	}
	if o.Children == nil {
		log := o.Log
		if o.Data == nil {
			log = eventlog.Options{SegmentBytes: memorySegment, MaxBytes: memoryLog}
		}
		o.Children = child.NewLocal(child.Options{NewStore: o.newStore, Log: log})
	}
	return &Manager{opt: o, owner: o.Children, next: 1, starts: make(chan struct{}, 1), done: make(chan struct{}), changed: make(chan struct{})}
}

// Start starts a child on a new PTY, or on pipes if o.Pipe is set or the system has no PTY left. The
// session exists until Delete, Close or Leave. If its child has ended, and there are MaxSessions
// sessions, the session may also be deleted to make room for a new one. ctx bounds only the start.
func (m *Manager) Start(ctx context.Context, o StartOptions) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o, err := checkStart(o)
	if err != nil {
		return nil, err
	}
	select {
	case m.starts <- struct{}{}:
		defer func() { <-m.starts }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	id, s, err := m.reserve(ctx, &o)
	if s != nil || err != nil {
		return s, err
	}
	s, err = start(ctx, m, id, o)
	if err := m.finishStart(s, err); err != nil {
		return nil, err
	}
	m.makeRoom(s)
	m.noteSharedName(s)
	return s, nil
}

// noteSharedName adds a note to the first reply if another running session has the name of s.
func (m *Manager) noteSharedName(s *Session) {
	m.mu.Lock()
	i := slices.IndexFunc(m.sessions, func(o *Session) bool { return o != s && o.opt.Name == s.opt.Name && o.loops.running() })
	var other string
	if i >= 0 {
		other = m.sessions[i].id
	}
	m.mu.Unlock()
	if other != "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.readers.Notices.Add(fmt.Sprintf("session %s is named %q too: while both run, calls need the id of the one that is meant", other, s.opt.Name))
	}
}

// finishStart completes a start: it adds s to the sessions unless the start failed with err.
func (m *Manager) finishStart(s *Session, err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.starting = ""
	if err == nil || errors.Is(err, child.ErrSilent) {
		m.next++ // after ErrSilent, the id is not used again: the keeper may have made a log for it
	}
	if err != nil {
		return err
	}
	m.sessions = append(m.sessions, s)
	m.notifyLocked()
	return nil
}

// reserve returns the id for a new session, and sets o.Name if it is empty. If the client has
// repeated a call that already started a session, reserve returns that session instead.
func (m *Manager) reserve(ctx context.Context, o *StartOptions) (id string, _ *Session, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return "", nil, ErrClosed
	case m.countLocked() >= m.opt.MaxSessions && m.oldestEndedLocked() == nil:
		return "", nil, fmt.Errorf("%w: %d sessions run (%s); end one with terminate_process", ErrTooMany, m.countLocked(), limit.HowToRaise(limit.Sessions, strconv.Itoa(m.opt.MaxSessions)))
	}
	if s := m.startedLocked(callerOf(ctx).call); s != nil {
		return "", s, nil
	}
	if m.refusal != nil {
		return "", nil, m.refusal
	}
	for m.takenLocked("s" + strconv.Itoa(m.next)) {
		m.next++
	}
	if slices.ContainsFunc(m.sessions, func(s *Session) bool { return s.id == o.Name }) {
		return "", nil, fmt.Errorf("%w: name %q is the id of another session; choose another name", ErrArgument, o.Name)
	}
	if o.Name == "" {
		o.Name = m.freeNameLocked(filepath.Base(o.Command))
	}
	m.starting = "s" + strconv.Itoa(m.next)
	return m.starting, nil, nil
}

// freeNameLocked returns base, or base with the first number that makes the name unique.
func (m *Manager) freeNameLocked(base string) string {
	base = base[:min(len(base), maxName)]
	name := base
	for n := 2; slices.ContainsFunc(m.sessions, func(s *Session) bool { return s.opt.Name == name }); n++ {
		name = base + "-" + strconv.Itoa(n)
	}
	return name
}

// Session finds a session by its id or by its name. If several sessions have the name, exactly one of
// them must be running. The call counts as a use of the session, see Limits.Idle.
func (m *Manager) Session(ref string) (*Session, error) {
	m.mu.Lock()
	s, err := m.findLocked(ref)
	m.mu.Unlock()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usedLocked(time.Now())
	return s, nil
}

// maxNamed is the maximum number of sessions that ErrAmbiguous lists; it lists the newest.
const maxNamed = 8

// findLocked returns the session that ref names.
func (m *Manager) findLocked(ref string) (*Session, error) {
	var named, running []*Session
	for _, s := range m.sessions {
		switch {
		case s.id == ref:
			return s, nil
		case s.opt.Name != ref:
			continue
		case s.loops.running():
			running = append(running, s)
		}
		named = append(named, s)
	}
	switch {
	case len(named) == 0:
		return nil, fmt.Errorf("%w: %q", ErrNoSession, ref)
	case len(named) == 1:
		return named[0], nil
	case len(running) == 1:
		return running[0], nil
	}
	var ids []string
	for _, s := range named[max(0, len(named)-maxNamed):] {
		ids = append(ids, s.id)
	}
	return nil, fmt.Errorf("%w: %q names %s", ErrAmbiguous, ref, strings.Join(ids, ", "))
}

// notifyLocked wakes all calls that wait for a change of the set of sessions.
func (m *Manager) notifyLocked() {
	m.changes++
	close(m.changed)
	m.changed = make(chan struct{})
}

// Sessions returns all sessions, oldest first, and a number that grows whenever a session is added or
// deleted. It waits until that number differs from seen. The number is never 0, so Sessions does not
// wait if seen is 0. The error is ctx's, or ErrClosed if the Manager is shutting down.
func (m *Manager) Sessions(ctx context.Context, seen uint64) ([]*Session, uint64, error) {
	for {
		m.mu.Lock()
		all, now, changed, closed := slices.Clone(m.sessions), m.changes+1, m.changed, m.closed
		m.mu.Unlock()
		switch {
		case closed:
			return nil, now, ErrClosed
		case now != seen:
			return all, now, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, now, ctx.Err()
		}
	}
}

// List describes all sessions, oldest first, or none if the Manager is shutting down.
func (m *Manager) List() []Info {
	all, _, _ := m.Sessions(context.Background(), 0)
	infos := make([]Info, len(all))
	for i, s := range all {
		infos[i] = s.Info()
	}
	return infos
}

// RefuseStarts makes Start return err; nil lets it start sessions again. If a client repeats a call
// that has started a session, Start still returns that session.
func (m *Manager) RefuseStarts(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refusal = err
}

// Delete removes a session whose child has ended, and kills the processes that the child
// left running.
func (m *Manager) Delete(ref string) error {
	m.mu.Lock()
	s, err := m.findLocked(ref)
	if err == nil && s.loops.running() {
		err = fmt.Errorf("%w: session %s (%s)", ErrRunning, s.id, s.opt.Command)
	}
	if err == nil {
		m.removeLocked(s)
	}
	m.mu.Unlock()
	if err != nil {
		return err
	}
	return s.discard(true)
}

func (m *Manager) removeLocked(s *Session) {
	m.sessions = slices.DeleteFunc(m.sessions, func(o *Session) bool { return o == s })
	m.notifyLocked()
}

// discard releases the resources of an ended session and removes its log. byUser is false if
// the session is removed to make room for another.
func (s *Session) discard(byUser bool) error {
	s.close(0)
	dir, ok := s.child.Log().(eventlog.DirStore)
	if !ok {
		return nil // the log was in memory
	}
	if s.m.opt.Forget != nil {
		if err := s.m.opt.Forget(string(dir), byUser); err != nil {
			return fmt.Errorf("forget the recording of session %s: %w", s.id, err)
		}
	}
	if err := dir.Discard(); err != nil {
		return fmt.Errorf("remove the log of session %s: %w", s.id, err)
	}
	return nil
}

// countLocked returns the number of sessions that are not lost.
func (m *Manager) countLocked() int {
	n := 0
	for _, s := range m.sessions {
		if !child.IsLost(s.child) {
			n++
		}
	}
	return n
}

// removeAll removes all sessions from the Manager and keeps it from starting more; first is true. If an
// earlier Close or Leave has already done so, removeAll waits until that call has finished.
func (m *Manager) removeAll() (all []*Session, first bool) {
	m.starts <- struct{}{} // waits for a start that is under way
	defer func() { <-m.starts }()
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		<-m.done
		return nil, false
	}
	defer m.mu.Unlock()
	all, m.sessions, m.closed = m.sessions, nil, true
	m.notifyLocked()
	return all, true
}

// closeGrace is how long Close waits for children to end by themselves.
const closeGrace = 500 * time.Millisecond

// Close ends all children, with their process groups and, on Linux, all descendants, and returns when
// none is left. Programs get closeGrace to end by themselves. Lost sessions are only removed.
func (m *Manager) Close() error {
	all, first := m.removeAll()
	if !first {
		return nil
	}
	defer close(m.done)
	var closing sync.WaitGroup
	for _, s := range all {
		if !child.IsLost(s.child) { // the processes of a lost session belong to another server
			closing.Go(func() { s.close(closeGrace) })
		}
	}
	closing.Wait()
	return m.owner.Close()
}

// Leave removes the sessions without ending their programs: another server takes the sessions over.
// Waiting calls end as if the sessions were lost. Options.Children must leave its children running when
// it is closed.
func (m *Manager) Leave() error {
	all, first := m.removeAll()
	if !first {
		return nil
	}
	defer close(m.done)
	for _, s := range all {
		s.mu.Lock()
		s.end.left = true
		s.mu.Unlock()
		s.loops.stop()
	}
	err := m.owner.Close()
	for _, s := range all {
		s.queue.Fail()
		s.child.Close()
		s.loops.Wait()
	}
	return err
}
