package session

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/replay"
)

// The limits of a log that is kept in memory.
const (
	memorySegment = 1 << 20
	memoryLog     = 4 << 20
)

// logOptions returns the limits of the sessions' logs.
func (o Options) logOptions() eventlog.Options {
	if o.Data == nil {
		return eventlog.Options{SegmentBytes: memorySegment, MaxBytes: memoryLog}
	}
	return o.Log
}

// newStore makes the place for a session's log: in the data directory, or in
// memory where there is none. A directory that cannot be written to is no reason
// not to start: the session says so.
func (o Options) newStore(spec child.Spec) (eventlog.Store, error) {
	if o.Data == nil {
		return &eventlog.MemStore{}, nil
	}
	store, err := o.Data.NewSession(spec.ID)
	if err == nil {
		return store, nil
	}
	return &failedStore{err: err}, nil
}

// A failedStore keeps a log in memory because it could not be kept on disk.
type failedStore struct {
	eventlog.MemStore
	err error
}

// logLimit names the limit of the session's log.
func (s *Session) logLimit() string {
	if _, ok := s.child.Log().(eventlog.DirStore); !ok {
		return fmt.Sprintf("logs in memory have %d MB; a server with a --data-dir keeps more", memoryLog>>20)
	}
	return raise(LimitLogSize, strconv.FormatInt(cmp.Or(s.m.opt.Log.MaxBytes, eventlog.DefaultMaxBytes)>>20, 10))
}

// openReplay opens the session's log.
func (s *Session) openReplay() (*replay.Replay, error) {
	store := s.child.Log()
	if store == nil {
		return nil, fmt.Errorf("session %s: %w", s.id, eventlog.ErrNoLog)
	}
	l, err := eventlog.Open(store)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", s.id, err)
	}
	r := replay.New(l, s.m.opt.Terminal)
	r.Hide(s.m.mask())
	return r, nil
}

// WriteRecording writes the kept part of the session to w as asciicast v3
// (docs.asciinema.org/manual/asciicast/v3). A session of which more was output
// begins with the screen as it was. Secrets are not in it; bytes that are no
// UTF-8 are written as U+FFFD.
func (s *Session) WriteRecording(w io.Writer) error {
	r, err := s.openReplay()
	if err != nil {
		return err
	}
	s.mu.Lock()
	title := s.term.Title()
	s.mu.Unlock()
	if s.nonce == "" {
		return r.WriteCast(w, 3, title)
	}
	clean := &scrubber{w: w, nonce: s.nonce}
	if err := r.WriteCast(clean, 3, title); err != nil {
		return err
	}
	return clean.flush()
}

// SnapshotAt returns the screen at a moment, written as replay.Moments says, with
// scrollback rows above it (-1: all), and the time of the last event before it.
// The errors name what is wrong with the moment and what is kept.
func (s *Session) SnapshotAt(moment string, scrollback int) (*emulator.Snapshot, time.Time, error) {
	s.saver.wait()
	r, err := s.openReplay()
	if err != nil {
		return nil, time.Time{}, err
	}
	m, err := replay.ParseMoment(moment, r.Start(), time.Now())
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("%w: at: %w", ErrArgument, err)
	}
	f, err := r.At(m)
	if errors.Is(err, replay.ErrPast) {
		err = fmt.Errorf("%w (%s)", err, s.logLimit())
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("%w: at: session %s: %w", ErrArgument, s.id, err)
	}
	return shot(s.m.mask(), f.Terminal, scrollback, true), r.Start().Add(f.At), nil
}

// RecordingPath returns the file that the session's log goes to now, as asciicast
// v3; "" when it is in memory. Older parts lie beside it.
func (s *Session) RecordingPath() string {
	dir, ok := s.child.Log().(eventlog.DirStore)
	if !ok {
		return ""
	}
	name, err := eventlog.Newest(dir)
	if err != nil {
		return ""
	}
	return filepath.Join(string(dir), name)
}

// markLocked sets a marker in the log.
func (s *Session) markLocked(label string) {
	s.child.Note(eventlog.Event{Kind: eventlog.Marker, Data: []byte(label)})
}

// noteLocked puts a note into the log.
func (s *Session) noteLocked(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		return // plain values: never
	}
	s.child.Note(eventlog.Event{Kind: eventlog.Note, Name: name, Data: data})
}

// inputNote returns what the log is told of a call before what it types.
func (s *Session) inputNote(call *typing) *eventlog.InputNote {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inputs++
	n := &eventlog.InputNote{Number: s.inputs, By: call.person(), Size: len(call.data), Secret: call.secret, Call: call.number, Echo: call.kernel}
	if call.secret {
		n.Size = secretLen(call.data)
	}
	return n
}

// logNoteLocked says what is wrong with the log, "" when nothing is.
func (s *Session) logNoteLocked() string {
	if s.logErr != nil {
		return fmt.Sprintf("the session's log is kept in memory only (%v): it will not outlive this server", s.logErr)
	}
	st := s.child.LogStatus()
	if st.Err == nil {
		return ""
	}
	ago := time.Since(s.created.Add(st.Since)).Round(time.Second)
	return fmt.Sprintf("the session's log has stopped %s ago (%v): what happens since then is missing from its recording and history; the session goes on, and writing is tried again every %s",
		ago, st.Err, eventlog.RetryDelay)
}

// A stateSaver writes the states that begin the log's segments, the latest first.
type stateSaver struct {
	mu     sync.Mutex // guards what follows
	queued *savedState
	done   chan struct{} // closed when nothing is queued any more; nil then
}

// wait waits until the states are written that have been queued.
func (v *stateSaver) wait() {
	v.mu.Lock()
	done := v.done
	v.mu.Unlock()
	if done != nil {
		<-done
	}
}

// A savedState is the terminal where a segment begins.
type savedState struct {
	offset int64
	state  []byte
}

// turned is called when the log has begun a segment: it keeps the terminal as it
// is now for replays that begin there.
func (s *Session) turned(offset, logged int64) {
	s.mu.Lock()
	s.saves.logged = logged
	if s.m.opt.Log.Mask != nil {
		s.mu.Unlock()
		return // it would have the secrets that the log hides
	}
	state := &savedState{offset, s.term.State()}
	s.mu.Unlock()
	v := &s.saver
	v.mu.Lock()
	defer v.mu.Unlock()
	v.queued = state
	if v.done == nil {
		v.done = make(chan struct{})
		s.loops.Go(s.saveStates)
	}
}

// saveStates writes what is queued.
func (s *Session) saveStates() {
	v := &s.saver
	for {
		v.mu.Lock()
		next := v.queued
		v.queued = nil
		if next == nil {
			close(v.done)
			v.done = nil
		}
		v.mu.Unlock()
		if next == nil {
			return
		}
		if store := s.child.Log(); store != nil {
			// Without this state a replay begins further back.
			_ = eventlog.SaveState(store, next.offset, next.state)
		}
	}
}

// saveMeta writes what the log's events do not tell of the session.
func (s *Session) saveMeta() {
	dir, ok := s.child.Log().(eventlog.DirStore)
	if !ok {
		return
	}
	s.metaMu.Lock()
	defer s.metaMu.Unlock()
	s.mu.Lock()
	if s.left {
		s.mu.Unlock()
		return
	}
	words := s.m.opt.Log.Mask.Words(append([]string{s.opt.Command}, s.opt.Args...))
	meta := eventlog.Meta{
		Session: s.id, Name: s.opt.Name, Command: words[0], Args: words[1:], Dir: s.opt.Dir, Pipe: s.opt.Pipe,
		PID: s.child.PID(), Tag: s.child.Tag(), CreatedAt: s.created, Status: string(s.status),
	}
	if s.status != StatusRunning {
		ended := s.activity
		meta.EndedAt = &ended
	}
	meta.Kept = s.status == StatusLost && s.keeperEndedLocked()
	if s.status == StatusExited {
		code := s.exitCode
		meta.ExitCode = &code
	}
	s.mu.Unlock()
	if err := eventlog.SaveMeta(dir, meta); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.notices.add(fmt.Sprintf("the session's metadata could not be written (%v): after a crash its log has no name", err))
	}
}
