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
	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/limit"
	"github.com/glasstty/glasstty/session/mask"
)

// DefaultMaxSessions is how many sessions a Manager holds at once when its
// Options do not say.
const DefaultMaxSessions = 100

// maxName bounds a name that a caller gives, in bytes.
const maxName = 64

// Options configure a Manager. The zero value gives the defaults.
type Options struct {
	// PersonHint returns how a person can type into a session, for the hint about a password
	// prompt; nil gives none.
	PersonHint  func(id string) string
	MaxSessions int    // default DefaultMaxSessions
	Limits      Limits // of each session
	Terminal    emulator.Options
	Version     string      // told to children as TERM_PROGRAM_VERSION; default "dev"
	Children    child.Owner // starts and owns the children; default: this process
	// Data is the directory of the sessions' logs, which the caller closes after the Manager;
	// nil: logs are kept in memory. Log sets the logs' limits. With Children, the owner has
	// its own directory and limits.
	Data *eventlog.Dir
	Log  eventlog.Options
	// Danger judges what is about to run; nil for no check. See package guard.
	Danger *danger.Checker
	// Programs says which programs may be started, and where; nil for all.
	Programs *allowlist.List
	// Sandbox is what sandboxed programs may do, as its Check returned it. Sandboxed puts
	// every program into a sandbox, and not only those that ask for one.
	Sandbox   sandbox.Policy
	Sandboxed bool
	// Scrub withholds variables that seem to hold secrets from all programs, as from those in
	// a sandbox. KeepEnv has patterns for names that are not withheld.
	Scrub   bool
	KeepEnv []string
	// Mask hides secrets in everything that leaves the sessions; nil hides nothing.
	Mask *mask.Mask
	// MaskLog hides them in logs on disk too. With Children, the owner has its own mask. A
	// session that is rebuilt from such a log lacks them.
	MaskLog bool
	// Audit records starts, inputs and exits; nil for no record.
	Audit *audit.Log
	// WriteHistory lets sessions write the user's histories of shells and REPLs, as the
	// user's own terminals do. Without it they write other files; see package histfile.
	WriteHistory bool
	// LostHint is the hint in replies of lost sessions; "" for one that says how they were lost.
	LostHint string
	// Forget is called before the log of a session is removed that was deleted or had to make
	// room.
	Forget func(dir string, deleted bool) error
	// Outlive says that the children outlive this process, and that another process takes the
	// sessions over.
	Outlive bool
}

// A Manager owns a set of sessions. It is safe for concurrent use.
type Manager struct {
	opt   Options
	owner child.Owner   // of the sessions' children
	done  chan struct{} // closed when Close is done

	// starts is held while a child is started, which may take long, so that calls which only
	// read need not wait. It is taken before mu.
	starts chan struct{}

	heldMu sync.Mutex // guards held
	held   guard.Starts[StartOptions]

	mu       sync.Mutex // guards what follows
	sessions []*Session // oldest first
	next     int        // number of the next session
	starting string     // the id of the session that is being started, "" for none
	closed   bool
	refusal  error         // why Start refuses to start sessions; nil if it does not
	changes  uint64        // of sessions
	changed  chan struct{} // closed and replaced at every change
}

// NewManager returns an empty Manager. Its Close closes o.Children.
func NewManager(o Options) *Manager {
	if o.MaxSessions <= 0 {
		o.MaxSessions = DefaultMaxSessions
	}
	o.Limits = o.Limits.WithDefaults(DefaultMaxOutputChars)
	o.Terminal.ScrollbackLines = cmp.Or(o.Terminal.ScrollbackLines, o.Limits.Scrollback)
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.MaskLog && o.Mask != nil {
		o.Log.Mask = o.Mask
	}
	if o.Children == nil {
		o.Children = child.NewLocal(child.Options{NewStore: o.newStore, Log: o.logOptions()})
	}
	return &Manager{opt: o, owner: o.Children, next: 1, starts: make(chan struct{}, 1), done: make(chan struct{}), changed: make(chan struct{})}
}

// Start starts a child on a new PTY. The session lives until it is deleted or
// the Manager is closed; ctx bounds only the start.
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
	if err := m.started(s, err); err != nil {
		return nil, err
	}
	m.makeRoom(s)
	m.noteSharedName(s)
	return s, nil
}

// started adds the session that was started, or handles the error.
func (m *Manager) started(s *Session, err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.starting = ""
	if err == nil || errors.Is(err, child.ErrSilent) {
		m.next++ // also after a failed start: its id may have a log
	}
	if err != nil {
		return err
	}
	m.sessions = append(m.sessions, s)
	m.notifyLocked()
	return nil
}

// reserve returns an id for the session that is to be started, and sets its name; or it
// returns the session that the same call started before.
func (m *Manager) reserve(ctx context.Context, o *StartOptions) (id string, _ *Session, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return "", nil, ErrClosed
	case m.ownLocked() >= m.opt.MaxSessions && m.endedLocked() == nil:
		return "", nil, fmt.Errorf("%w: %d sessions run (%s)", ErrTooMany, m.ownLocked(), limit.Raise(limit.Sessions, strconv.Itoa(m.opt.MaxSessions)))
	}
	if s := m.startedLocked(callOf(ctx)); s != nil {
		return "", s, nil
	}
	if m.refusal != nil {
		return "", nil, m.refusal
	}
	id = "s" + strconv.Itoa(m.next)
	for m.takenLocked(id) {
		m.next++
		id = "s" + strconv.Itoa(m.next)
	}
	if slices.ContainsFunc(m.sessions, func(s *Session) bool { return s.id == o.Name }) {
		return "", nil, fmt.Errorf("%w: name %q is the id of another session; choose a name that is none", ErrArgument, o.Name)
	}
	if o.Name == "" {
		o.Name = m.freeNameLocked(filepath.Base(o.Command))
	}
	m.starting = id
	return id, nil, nil
}

// Session returns the session with this id, or with this name if only one session has it,
// or only one that runs. Asking for a session counts as using it, see Limits.Idle.
func (m *Manager) Session(ref string) (*Session, error) {
	s, err := m.find(ref)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usedLocked(time.Now())
	return s, nil
}

// find is Session, but does not count as use.
func (m *Manager) find(ref string) (*Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, err := m.findLocked(ref)
	if err != nil {
		return nil, err
	}
	return m.sessions[i], nil
}

// maxNamed is how many sessions of one name an error lists: the latest ones.
const maxNamed = 8

// findLocked returns the index of the session that ref names.
func (m *Manager) findLocked(ref string) (int, error) {
	var named, running []int
	for i, s := range m.sessions {
		switch {
		case s.id == ref:
			return i, nil
		case s.opt.Name != ref:
			continue
		case s.loops.running():
			running = append(running, i)
		}
		named = append(named, i)
	}
	switch {
	case len(named) == 0:
		return 0, fmt.Errorf("%w: %q", ErrNoSession, ref)
	case len(named) == 1:
		return named[0], nil
	case len(running) == 1:
		return running[0], nil
	}
	var ids []string
	for _, i := range named[max(0, len(named)-maxNamed):] {
		ids = append(ids, m.sessions[i].id)
	}
	return 0, fmt.Errorf("%w: %q is %s", ErrAmbiguous, ref, strings.Join(ids, ", "))
}

// notifyLocked wakes all calls that wait for a change of the set of sessions.
func (m *Manager) notifyLocked() {
	m.changes++
	close(m.changed)
	m.changed = make(chan struct{})
}

// Sessions returns all sessions, oldest first, and a number that grows whenever one is
// started or deleted. It waits until that number differs from seen; with 0 it does not
// wait. The error is ctx's, or ErrClosed if the Manager is shutting down.
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

// List returns all sessions, oldest first.
func (m *Manager) List() []Info {
	m.mu.Lock()
	all := slices.Clone(m.sessions)
	m.mu.Unlock()
	infos := make([]Info, len(all))
	for i, s := range all {
		infos[i] = s.Info()
	}
	return infos
}

// Refuse makes Start return why instead of starting sessions; nil lets it start them again.
// A repeated call still gets the session that it started before.
func (m *Manager) Refuse(why error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refusal = why
}

// Delete removes a session whose child has ended, and ends the processes that it left.
func (m *Manager) Delete(ref string) error {
	m.mu.Lock()
	i, err := m.findLocked(ref)
	if err != nil {
		m.mu.Unlock()
		return err
	}
	s := m.sessions[i]
	if s.loops.running() {
		m.mu.Unlock()
		return fmt.Errorf("%w: session %s (%s)", ErrRunning, s.id, s.opt.Command)
	}
	m.sessions = slices.Delete(m.sessions, i, i+1)
	m.notifyLocked()
	m.mu.Unlock()
	return s.discard(true)
}

// discard cleans up after an ended session that was deleted or had to make room.
func (s *Session) discard(deleted bool) error {
	s.close(0)
	if dir, ok := s.child.Log().(eventlog.DirStore); ok && s.m.opt.Forget != nil {
		if err := s.m.opt.Forget(string(dir), deleted); err != nil {
			return fmt.Errorf("forget the recording of session %s: %w", s.id, err)
		}
	}
	if err := s.log.remove(); err != nil {
		return fmt.Errorf("remove the log of session %s: %w", s.id, err)
	}
	return nil
}

// ownLocked returns how many sessions were started here.
func (m *Manager) ownLocked() int {
	n := 0
	for _, s := range m.sessions {
		if !child.IsLost(s.child) {
			n++
		}
	}
	return n
}

// shut removes the sessions from the Manager, which starts no more. first is false if the
// Manager was shut before; shut has waited for the end then.
func (m *Manager) shut() (all []*Session, first bool) {
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

// Close ends all children (process groups, and on Linux stray descendants) and returns when
// none is left. Programs get closeGrace to end by themselves.
func (m *Manager) Close() error {
	all, first := m.shut()
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

// Leave removes the sessions without ending them: another server takes them over. Calls
// under way end with ErrClosed. The owner of the children has released them, or does so in
// let.
func (m *Manager) Leave(let func()) {
	all, first := m.shut()
	if !first {
		return
	}
	defer close(m.done)
	for _, s := range all {
		s.mu.Lock()
		s.end.left = true
		s.mu.Unlock()
		s.loops.stop()
	}
	let()
	for _, s := range all {
		s.queue.Fail()
		s.child.Close()
		s.loops.Wait()
		s.endSaves()
	}
}

// closeGrace is how long Close lets children end by themselves.
const closeGrace = 500 * time.Millisecond
