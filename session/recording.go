package session

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/limit"
	"github.com/glasstty/glasstty/session/replay"
)

// The limits of a log that is kept in memory, in bytes.
const (
	memorySegment = 1 << 20
	memoryLog     = 4 << 20
)

// newStore creates the store for a session's log: in the data directory, or in memory if
// there is none. If the directory cannot be written, the log is kept in memory, and the
// session's replies say so.
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

// A failedStore keeps a log in memory because the directory could not be written.
type failedStore struct {
	eventlog.MemStore
	err error
}

// logLimit describes the limit on a session's log, and how to raise it, for an error or a note.
func (o Options) logLimit(store eventlog.Store) string {
	if _, ok := store.(eventlog.DirStore); !ok {
		return fmt.Sprintf("logs in memory hold at most %d MB; a server with a --data-dir keeps more", memoryLog>>20)
	}
	return limit.HowToRaise(limit.LogSize, strconv.FormatInt(cmp.Or(o.Log.MaxBytes, eventlog.DefaultMaxBytes)>>20, 10))
}

// Recording opens the session's log. The Replay writes the log as asciicast v3
// (docs.asciinema.org/manual/asciicast/v3), or returns the screen at a moment. Its methods read and replay
// the log, which takes time, but do not block the session.
func (s *Session) Recording() (*replay.Replay, error) {
	about := locked(s, func() replay.Session {
		return replay.Session{
			Terminal: s.m.opt.Terminal, Mask: s.m.mask(), Nonce: s.state.Nonce, Title: s.state.Term.Title(), Next: s.state.Messages.Next,
		}
	})
	store := s.child.Log()
	s.log.states.wait() // if the beginning of the log was removed, the latest saved state may be the only one
	log, err := eventlog.Open(store)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", s.id, err)
	}
	return replay.New(log, about), nil
}

// SnapshotAt returns the screen at a moment, with up to scrollback rows above the screen (-1: all), and the
// time of the last event before the moment. replay.Moments lists the forms of a moment.
func (s *Session) SnapshotAt(moment string, scrollback int) (*emulator.Snapshot, time.Time, error) {
	r, err := s.Recording()
	if err != nil {
		return nil, time.Time{}, err
	}
	f, err := r.At(moment, time.Now())
	if errors.Is(err, replay.ErrPast) {
		err = fmt.Errorf("%w (%s)", err, s.m.opt.logLimit(s.child.Log()))
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("%w: at: session %s: %w", ErrArgument, s.id, err)
	}
	s.mu.Lock()
	s.log.recordDamage(r.Damage())
	s.mu.Unlock()
	return s.m.mask().CopyScreen(f.Terminal, scrollback, true)(), r.Start().Add(f.At), nil
}

// RecordingPath returns the current file of the session's log, which is asciicast v3, or "" if the log is
// in memory or has no files. Older parts are in the same directory.
func (s *Session) RecordingPath() string {
	dir, ok := s.child.Log().(eventlog.DirStore)
	if !ok {
		return ""
	}
	segments, _, err := eventlog.Offsets(dir)
	if err != nil || len(segments) == 0 {
		return ""
	}
	return filepath.Join(string(dir), eventlog.SegmentName(segments[len(segments)-1]))
}

// saveState is called when the log has begun a new segment at offset. It saves the session's state for
// the next server or, if no server can continue from there, only the terminal, for replays.
func (s *Session) saveState(offset int64) {
	if s.m.logMask() != nil { // the state contains the secrets that the mask hides in the log
		return
	}
	store := s.child.Log()
	_, onDisk := store.(eventlog.DirStore)
	s.mu.Lock()
	var parts [][]byte
	var err error
	if onDisk && s.queue.Idle() {
		parts, err = s.state.Encode()
	} else { // a server cannot continue from a log in memory, or from the middle of an input
		parts = s.state.EncodeTerminal()
	}
	s.mu.Unlock()
	if err != nil { // a log without a saved state is still valid
		return
	}
	s.log.states.save(s.loops.Go, func() { _ = eventlog.SaveState(store, offset, parts) })
}

// saveMeta writes the session's metadata, which the log's events do not contain, if the log is on disk.
func (s *Session) saveMeta() {
	dir, ok := s.child.Log().(eventlog.DirStore)
	if !ok {
		return
	}
	s.mu.Lock()
	if s.end.left {
		s.mu.Unlock()
		return
	}
	hide := s.m.logMask()
	words := hide.Words(append([]string{s.opt.Command}, s.opt.Args...))
	meta := eventlog.Meta{
		Session: s.id, Name: hide.Text(s.opt.Name), Command: words[0], Args: words[1:], Dir: hide.Text(s.opt.Dir), Pipe: s.opt.Pipe,
		PID: s.child.PID(), Tag: s.child.Tag(), CreatedAt: s.created, Status: string(s.end.status), ExitCode: s.end.exitCode(),
	}
	if s.end.status != StatusRunning {
		ended := s.state.Activity
		meta.EndedAt = &ended
	}
	s.mu.Unlock()
	if err := eventlog.SaveMeta(dir, meta); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.readers.Notices.Add(fmt.Sprintf("the session's metadata could not be written (%v): after a crash its log has no name", err))
	}
}
