package session

import (
	"sync"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/limit"
)

// loops holds a session's goroutines and their progress.
type loops struct {
	sync.WaitGroup
	drained chan struct{} // closed by readLoop: nothing more will be read
	exited  chan struct{} // closed by waitLoop: reaped, and drained or given up
	closing chan struct{} // closed by stop
	once    sync.Once     // closes closing
}

// running reports whether the child has not ended.
func (l *loops) running() bool {
	select {
	case <-l.exited:
		return false
	default:
		return true
	}
}

// stop signals the loops, and calls that wait for a change, that the session is closed.
func (l *loops) stop() { l.once.Do(func() { close(l.closing) }) }

// readLoop reads the child's output until its end. Only it writes to the emulator.
func (s *Session) readLoop() {
	defer close(s.loops.drained)
	for {
		e, err := s.child.Read()
		switch {
		case err != nil:
			return
		case e.Kind == child.Resize:
			s.resized(emulator.Size(e.Size), e.Logged)
		case e.Kind == child.Turn:
			s.turned(e.Offset, e.Logged)
		default:
			s.takeAll(&e)
		}
	}
}

// takeAll gives output to the emulator, in pieces between which other calls can lock the
// session.
func (s *Session) takeAll(e *child.Event) {
	for left := e.Data; len(left) > 0; {
		replies, upTo, n := s.take(left, e)
		if len(replies) > 0 && !s.queue.Reply(replies, upTo) {
			s.replied() // the queue had no room for them
		}
		left = left[n:]
	}
}

// take gives the first n bytes of left, the rest of e's output, to the emulator. It returns
// the emulator's replies, and the byte of output up to which they answer.
func (s *Session) take(left []byte, e *child.Event) (replies []byte, upTo int64, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = min(pieceFor(s.state.Term.Size()), len(left))
	replies = s.state.Apply(time.Now(), &eventlog.Event{Kind: eventlog.Output, Data: left[:n]})
	s.ready.Stale()
	s.notifyLocked()
	if len(replies) > 0 {
		s.ready.Unsent++ // the program waits for the replies until they are written
	}
	if n == len(left) {
		s.log.saves.logged = e.Logged
		s.dueLocked(len(e.Data))
	}
	return replies, s.state.Raw.Total, n
}

const (
	// cellWork bounds a piece of output: its bytes times the cells of the screen. A control
	// sequence of a dozen bytes may change all cells (DECFRA), at about 10 ns each, so a
	// piece takes about 0.2 s.
	cellWork = 200_000_000
	minPiece = 64
)

// pieceFor returns how many bytes of output a terminal of this size gets at once.
func pieceFor(size emulator.Size) int { return max(cellWork/(size.Rows*size.Cols), minPiece) }

// waitLoop waits for the child's end. Only it reports the exit, after all output was
// applied.
func (s *Session) waitLoop() {
	exit := s.child.Wait()
	s.queue.Fail()
	s.awaitTaken(exit)
	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(s.loops.exited) // after the state says that it has ended
	s.end.status, s.end.code, s.end.open = StatusExited, exit.Code, exit.Stuck
	if why := limit.Over(exit.Over); why != "" && s.end.why == "" {
		s.endedLocked(byServer + why)
	}
	if exit.Lost {
		s.end.status = StatusLost
	}
	s.state.Apply(exit.At, &eventlog.Event{Kind: eventlog.Exit, Code: exit.Code}) // an earlier server may have seen it
	if !s.end.left {
		s.logMessagesLocked(s.state.LastOutputMessage())
	}
	s.ready.End()
	s.keys.Free(s.state.Activity)
	s.keyboardChangedLocked("")
	s.notifyLocked()
}

// aheadAgain is how often a child's owner is asked again whether it has more output: a read
// that was under way may have found nothing, and no event follows then.
const aheadAgain = 10 * time.Millisecond

// awaitTaken waits until readLoop has applied all output. If something else keeps the
// terminal open, it waits for the output before the child's end.
func (s *Session) awaitTaken(exit child.Exit) {
	if !exit.Stuck {
		<-s.loops.drained
		return
	}
	again := time.NewTicker(aheadAgain)
	defer again.Stop()
	for {
		s.mu.Lock()
		ahead, changed := s.child.Ahead(s.state.Raw.Total), s.changed
		s.mu.Unlock()
		if !ahead {
			return
		}
		select {
		case <-changed:
		case <-again.C:
		case <-s.loops.drained:
			return
		case <-s.loops.closing:
			return
		}
	}
}
