package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/state"
)

// TakeOver rebuilds the sessions of children that an earlier server started, and
// continues them under their ids. used lists ids that must not be reused. TakeOver is
// called once, before any Start. The error lists sessions that were restored only in part;
// they are usable.
func (m *Manager) TakeOver(found []child.Found, used []string) error {
	all, errs := make([]*Session, len(found)), make([]error, len(found))
	var rebuilding sync.WaitGroup
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, f := range found {
		rebuilding.Go(func() {
			turns <- struct{}{}
			all[i], errs[i] = m.rebuild(f)
			<-turns
			if f.Exited { // the earlier server may have reported the exit, so the session must not seem to run now
				select {
				case <-all[i].loops.exited:
				case <-time.After(endLimit):
				}
			}
		})
	}
	rebuilding.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range all {
		m.sessions = append(m.sessions, s)
		used = append(used, s.id)
	}
	for _, id := range used {
		if n, err := strconv.Atoi(strings.TrimPrefix(id, "s")); err == nil {
			m.next = max(m.next, n+1)
		}
	}
	m.notifyLocked()
	return errors.Join(errs...)
}

// endLimit is the maximum time that TakeOver waits until the session of a program that has
// already ended is marked as exited.
const endLimit = 2 * time.Second

// startedLocked returns the session that a call of this name has started, or nil; for "", it returns nil.
func (m *Manager) startedLocked(call string) *Session {
	if i := slices.IndexFunc(m.sessions, func(s *Session) bool { return s.startCall == call }); call != "" && i >= 0 {
		return m.sessions[i]
	}
	return nil
}

// rebuild restores the session of a child from its log and its kept state.
func (m *Manager) rebuild(f child.Found) (*Session, error) {
	var k keptState
	err := json.Unmarshal(f.State, &k)
	if err == nil && k.Version != keptVersion {
		err = fmt.Errorf("%w: the previous server saved its state in format %d, but this server reads format %d: readers start from the beginning, and held inputs are forgotten", eventlog.ErrVersion, k.Version, keptVersion)
	}
	s := newSession(m, f.ID, k.StartOptions, k.Nonce, k.Created)
	s.child, s.startCall, s.box = f.Child, k.Call, k.Sandbox
	s.mu.Lock()
	defer s.mu.Unlock()
	r := state.Recovery{Began: s.created, Until: f.Stream}
	rerr := s.recoverLocked(&r)
	lost := f.Total - s.state.Raw.Total
	if lost > 0 {
		s.log.gap = true
		s.state.Skip(lost)
	}
	s.restore(&k)
	now := time.Now()
	if s.keyboard.Holding().State != KeyboardFree {
		s.keyboardChangedLocked("") // the holder has the usual time to return
	}
	s.queue.Reply(r.Replies, s.state.Raw.Total)
	s.readers.Notices.Add(restarted(now, lost))
	if kernel.AncestorsOnly() {
		s.readers.Notices.Add("this system lets only the ancestors of a process look into it (kernel.yama.ptrace_scope), and this server is no longer an ancestor of the program: prompts and pauses now decide when an answer is complete; is_complete false marks a guess")
	}
	s.run()
	if err = errors.Join(err, rerr); err != nil {
		return s, fmt.Errorf("session %s: %w", f.ID, err)
	}
	return s, nil
}

// recoverLocked sets the session's state from its child's log, up to r.Until.
func (s *Session) recoverLocked(r *state.Recovery) (err error) {
	if r.Log == nil {
		if r.Log, err = eventlog.Open(s.child.Log()); err != nil {
			return err
		}
	}
	r.State = s.state
	err = r.Run()
	if s.state = r.State; err != nil {
		return err
	}
	s.log.recordDamage(r.Log.Damage())
	return nil
}

// restarted returns the note that the server was restarted. lost is the number of bytes of output
// that are missing from the log.
func restarted(now time.Time, lost int64) string {
	at := now.Format(time.TimeOnly)
	if lost == 0 {
		return fmt.Sprintf("the server was restarted at %s; the program kept running and no output was lost; text that was sent just before may not have reached it: look at the screen; a reply that was cut off can be read again: read_output tail=20", at)
	}
	return fmt.Sprintf("the server was restarted at %s; the program kept running, but the last %d bytes of its output could not be logged, so the screen and the history lack them: make the program redraw its screen (ctrl+l); later output is complete", at, lost)
}
