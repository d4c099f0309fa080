package session

import (
	"sync"
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

// checkpoints schedules a session's checkpoints. The session's mutex guards it.
type checkpoints struct {
	logged int64 // the offset of the log's next event
	due    int   // bytes of output since the last checkpoint
	timer  *time.Timer
	saving bool
	over   bool // no more checkpoints are made
	ends   sync.WaitGroup
}

// arm calls save after wait, if a checkpoint is due.
func (c *checkpoints) arm(wait time.Duration, save func()) {
	if c.due >= checkpointLeast && c.timer == nil && !c.over {
		c.timer = time.AfterFunc(wait, save)
	}
}

// dueLocked notes that n more bytes of output are in the log, before the offset
// s.log.saves.logged.
func (s *Session) dueLocked(n int) {
	if s.log.saves.due += n; s.m.opt.Outlive && s.m.logMask() == nil { // the terminal's state contains the secrets that the log hides
		s.log.saves.arm(checkpointQuiet, s.checkpointDue)
	}
}

// checkpointDue makes a checkpoint. While output arrives, a call types, or the log cannot be
// written, it tries again later.
func (s *Session) checkpointDue() {
	s.mu.Lock()
	c := &s.log.saves
	c.timer = nil
	wait := checkpointQuiet - time.Since(s.state.LastOutput)
	switch {
	case c.over || s.end.left:
		s.mu.Unlock()
		return
	case wait > 0 && c.due < checkpointMost:
		c.arm(wait, s.checkpointDue)
		s.mu.Unlock()
		return
	case c.saving || !s.queue.Still() || s.child.LogStatus().Error != "":
		c.arm(checkpointQuiet, s.checkpointDue)
		s.mu.Unlock()
		return
	}
	ck, err := s.checkpointLocked()
	c.due, c.saving = 0, true
	c.ends.Add(1)
	s.mu.Unlock()
	defer c.ends.Done()
	if err == nil {
		// If SaveCheckpoint fails, the next server has more to replay.
		_ = eventlog.SaveCheckpoint(s.child.Log(), *ck)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.saving = false
	c.arm(checkpointQuiet, s.checkpointDue)
}

// checkpointLocked returns a checkpoint of the session. The queue must be still: input on
// its way would be logged after the checkpoint's offset.
func (s *Session) checkpointLocked() (*eventlog.Checkpoint, error) {
	parts, err := s.state.Encode()
	if err != nil {
		return nil, err
	}
	return &eventlog.Checkpoint{Offset: s.log.saves.logged, At: s.state.LastOutput.Sub(s.created), Parts: parts}, nil
}
