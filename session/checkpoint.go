package session

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// When a checkpoint is written: so that it costs little beside the emulation of
// what came since the last, and the next server has little to replay.
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
	over   bool // there will be none any more
	ends   sync.WaitGroup
}

// dueLocked notes that n more bytes of output are in the log, before the offset
// that s.saves.logged tells.
func (s *Session) dueLocked(n int) {
	if s.saves.due += n; s.m.opt.Outlive && s.m.opt.Log.Mask == nil { // its terminal would have the secrets
		s.armCheckpointLocked(checkpointQuiet)
	}
}

// armCheckpointLocked has a checkpoint made after wait, if one is due.
func (s *Session) armCheckpointLocked(wait time.Duration) {
	if c := &s.saves; c.due >= checkpointLeast && c.timer == nil && !c.over {
		c.timer = time.AfterFunc(wait, s.checkpointDue)
	}
}

// checkpointDue makes a checkpoint, or tries again later: while much comes, while
// input is on its way, and while the log does not have all.
func (s *Session) checkpointDue() {
	s.mu.Lock()
	c := &s.saves
	c.timer = nil
	wait := checkpointQuiet - time.Since(s.lastOutput)
	switch {
	case c.over || s.left:
		s.mu.Unlock()
		return
	case wait > 0 && c.due < checkpointMost:
		s.armCheckpointLocked(wait)
		s.mu.Unlock()
		return
	case c.saving || !s.queue.idle() || s.child.LogStatus().Err != nil:
		s.armCheckpointLocked(checkpointQuiet)
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
	s.armCheckpointLocked(checkpointQuiet)
}

// endCheckpoints returns when no checkpoint is or will be written.
func (s *Session) endCheckpoints() {
	s.mu.Lock()
	s.saves.over = true
	if s.saves.timer != nil {
		s.saves.timer.Stop()
	}
	s.mu.Unlock()
	s.saves.ends.Wait()
}

// The parts of a checkpoint.
const (
	partSession = iota // a checkpointed, as JSON
	partTerminal
	partRaw
	numParts
)

// checkpointVersion is the version of a checkpointed. A change that an older
// program would misread adds one.
const checkpointVersion = 1

// A checkpointed is what a replay of the log would make of a session, beside its
// terminal and its raw output.
type checkpointed struct {
	Version    int
	Total      int64
	BytesIn    int64
	Inputs     int64
	LastOutput time.Time
	Activity   time.Time
	Cwd        string
	Last       keptTyped
	Calls      []keptCall
	Marks      keptMarks
	Edit       keptEdit
	Pending    []keptTypedLine
	Spans      [][3]int64
	Pace       detect.PaceState
	FirstEvent int64
	Events     []emulator.Event
	Messages   keptMessages
}

// checkpointLocked returns the session as it is now. Nothing typed may be on its
// way: the log would have it only after the checkpoint's place.
func (s *Session) checkpointLocked() (*eventlog.Checkpoint, error) {
	raw, _ := s.raw.since(s.raw.first())
	k := checkpointed{
		Version: checkpointVersion, Total: s.raw.total, BytesIn: s.bytesIn, Inputs: s.inputs,
		LastOutput: s.lastOutput, Activity: s.activity, Cwd: s.cwd,
		Last: s.last.keep(), Marks: s.marks.keep(), Edit: keptEdit{s.edit.at, s.edit.set}, Pace: s.pace.State(),
		FirstEvent: s.events.first, Events: s.events.kept, Messages: s.messages.keepList(),
	}
	k.Pending, k.Spans = s.echoes.keep()
	for _, call := range s.rebuilt {
		k.Calls = append(k.Calls, call.keep())
	}
	data, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	parts := make([][]byte, numParts)
	parts[partSession], parts[partTerminal], parts[partRaw] = data, s.term.State(), raw
	return &eventlog.Checkpoint{Offset: s.saves.logged, At: s.lastOutput.Sub(s.created), Parts: parts}, nil
}

// checkpointOf puts a checkpoint of the log into a session that is rebuilt, and
// returns it; nil when there is none that can be used. Then nothing has changed.
func (s *Session) checkpointOf(l *eventlog.Log, f child.Found, o emulator.Options) *eventlog.Checkpoint {
	c, err := l.Checkpoint()
	if err != nil || c.Offset > f.Logged || s.loadCheckpointLocked(c, f, o) != nil {
		return nil // the log has all
	}
	return c
}

// loadCheckpointLocked puts a checkpoint into a session that is rebuilt.
func (s *Session) loadCheckpointLocked(c *eventlog.Checkpoint, f child.Found, o emulator.Options) error {
	if len(c.Parts) != numParts {
		return fmt.Errorf("%d parts", len(c.Parts))
	}
	var k checkpointed
	if err := json.Unmarshal(c.Parts[partSession], &k); err != nil {
		return err
	}
	raw := c.Parts[partRaw]
	if k.Version != checkpointVersion || k.Total > f.Total || len(raw) > rawLimit || int64(len(raw)) > k.Total {
		return fmt.Errorf("version %d, %d bytes of output, %d kept", k.Version, k.Total, len(raw))
	}
	term, err := emulator.Restore(c.Parts[partTerminal], o)
	if err != nil {
		return err
	}
	s.term = term
	s.raw.skip(k.Total - int64(len(raw)))
	s.raw.write(raw)
	s.bytesIn, s.inputs, s.cwd = k.BytesIn, k.Inputs, k.Cwd
	s.lastOutput, s.activity = k.LastOutput, k.Activity
	s.last, s.marks = k.Last.typed(), k.Marks.marks()
	s.edit = lineEdit{at: k.Edit.At, set: k.Edit.Set}
	s.echoes = keptEchoes(k.Pending, k.Spans)
	s.pace.Restore(k.Pace)
	s.events = numbered[emulator.Event]{first: k.FirstEvent, kept: k.Events}
	s.messages = k.Messages.messages()
	for i := range k.Calls {
		s.rebuilt = append(s.rebuilt, k.Calls[i].call())
	}
	return nil
}
