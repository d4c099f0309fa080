package session

import (
	"time"

	"github.com/glasstty/glasstty/session/eventlog"
)

// These constants say when a checkpoint is written. It should cost little compared with
// emulating the output since the last one, and leave the next server little to replay.
const (
	// checkpointQuiet is how long the output must pause.
	checkpointQuiet = 2 * time.Second
	// checkpointLeast is the minimum number of bytes of output since the last checkpoint;
	// fewer bytes are replayed in a millisecond.
	checkpointLeast = 64 << 10
	// checkpointMost is the number of bytes after which a checkpoint does not wait for a
	// pause.
	checkpointMost = 8 << 20
)

// countLoggedLocked counts n more bytes of output that are in the log, before the offset
// s.log.logged. It wakes checkpointLoop when there is enough for a checkpoint.
func (s *Session) countLoggedLocked(n int) {
	before := s.log.due
	if s.log.due += n; before < checkpointLeast && s.log.due >= checkpointLeast {
		select {
		case s.log.save <- struct{}{}:
		default: // checkpointLoop will be woken already
		}
	}
}

func (s *Session) checkpointLoop() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.log.save:
		case <-timer.C:
		case <-s.loops.closing:
			return
		}
		if wait := s.checkpoint(); wait > 0 {
			timer.Reset(wait)
		}
	}
}

// checkpoint writes a checkpoint if one is due. While output arrives, a call types, or the
// log cannot be written, it returns how long to wait before trying again.
func (s *Session) checkpoint() (wait time.Duration) {
	s.mu.Lock()
	wait = checkpointQuiet - time.Since(s.state.LastOutput)
	switch {
	case s.log.due < checkpointLeast || s.end.left:
		s.mu.Unlock()
		return 0
	case wait > 0 && s.log.due < checkpointMost:
		s.mu.Unlock()
		return wait
	case !s.queue.Still() || s.child.LogStatus().Error != "":
		s.mu.Unlock()
		return checkpointQuiet
	}
	ck, err := s.checkpointLocked()
	s.log.due = 0
	s.mu.Unlock()
	if err == nil {
		// If SaveCheckpoint fails, the next server has more to replay.
		_ = eventlog.SaveCheckpoint(s.child.Log(), *ck)
	}
	return 0
}

// checkpointLocked returns a checkpoint of the session. The queue must be still: input on
// its way would be logged after the checkpoint's offset.
func (s *Session) checkpointLocked() (*eventlog.Checkpoint, error) {
	parts, err := s.state.Encode()
	if err != nil {
		return nil, err
	}
	return &eventlog.Checkpoint{Offset: s.log.logged, At: s.state.LastOutput.Sub(s.created), Parts: parts}, nil
}
