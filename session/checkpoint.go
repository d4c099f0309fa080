package session

import (
	"sync"
	"time"

	"github.com/glasstty/glasstty/session/eventlog"
)

// When a checkpoint is written. It should cost little compared with emulating the output
// since the last one, and leave the next server little to replay.
const (
	// checkpointQuiet is how long the output must pause.
	checkpointQuiet = 2 * time.Second
	// checkpointLeast is how much output must have come since the last one, in
	// bytes; what is less is replayed in a millisecond.
	checkpointLeast = 64 << 10
	// checkpointMost is after how much output there is one without a pause.
	checkpointMost = 8 << 20
)

// checkpoints write a session's checkpoints. The session's mutex guards them, but
// for the writing.
type checkpoints struct {
	logged int64 // where in the log the next event begins
	due    int   // bytes of output since the last
	timer  *time.Timer
	saving bool
	over   bool // no more checkpoints are made
	ends   sync.WaitGroup
}

// arm has save called after wait, if a checkpoint is due.
func (c *checkpoints) arm(wait time.Duration, save func()) {
	if c.due >= checkpointLeast && c.timer == nil && !c.over {
		c.timer = time.AfterFunc(wait, save)
	}
}

// end stops further checkpoints.
func (c *checkpoints) end() {
	c.over = true
	if c.timer != nil {
		c.timer.Stop()
	}
}

// dueLocked notes that n more bytes of output are in the log, before the offset
// that s.log.saves.logged tells.
func (s *Session) dueLocked(n int) {
	if s.log.saves.due += n; s.m.opt.Outlive && s.m.logMask() == nil { // its terminal would have the secrets
		s.log.saves.arm(checkpointQuiet, s.checkpointDue)
	}
}

// checkpointDue makes a checkpoint, or tries again later: while much comes, while
// a call types, and while the log does not have all.
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
	case c.saving || !s.queue.Still() || s.child.LogStatus().Err != nil:
		c.arm(checkpointQuiet, s.checkpointDue)
		s.mu.Unlock()
		return
	}
	ck, err := s.checkpointLocked()
	c.due, c.saving = 0, true
	c.ends.Add(1)
	s.mu.Unlock()
	defer c.ends.Done()
	if store := s.child.Log(); err == nil && store != nil {
		// Without it the next server has more to replay.
		_ = eventlog.SaveCheckpoint(store, *ck)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.saving = false
	c.arm(checkpointQuiet, s.checkpointDue)
}

// checkpointLocked returns the session as it is now. Nothing typed may be on its
// way: the log would have it only after the checkpoint's place.
func (s *Session) checkpointLocked() (*eventlog.Checkpoint, error) {
	parts, err := s.state.Encode()
	if err != nil {
		return nil, err
	}
	return &eventlog.Checkpoint{Offset: s.log.saves.logged, At: s.state.LastOutput.Sub(s.created), Parts: parts}, nil
}
