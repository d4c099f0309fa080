package session

import (
	"context"
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
	drained chan struct{}      // closed by readLoop at the end of the output
	exited  chan struct{}      // closed by waitLoop when the child has ended, and its output was applied or given up
	closing context.Context    // ends when the session is closed
	stop    context.CancelFunc // ends closing
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

// readLoop reads the child's output until the end of the output. No other goroutine writes to the emulator.
func (s *Session) readLoop() {
	defer close(s.loops.drained)
	for {
		e, err := s.child.Read()
		switch {
		case err != nil:
			return
		case e.Kind == child.Resize:
			s.applyResize(e.Size)
		case e.Kind == child.Segment:
			s.saveState(e.Offset)
		default:
			for left := e.Data; len(left) > 0; { // other calls can lock the session between two pieces
				left = left[s.applyOutput(left):]
			}
		}
	}
}

// applyOutput passes the first n bytes of left to the emulator, and queues the emulator's replies.
func (s *Session) applyOutput(left []byte) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = min(pieceFor(s.state.Term.Size()), len(left))
	replies := s.state.Apply(time.Now(), &eventlog.Event{Kind: eventlog.Output, Data: left[:n]})
	s.queue.Reply(replies, s.state.Raw.Total)
	s.ready.SetStale()
	s.notifyLocked()
	return n
}

const (
	// cellWork is the maximum product of the bytes of a piece of output and the cells of the screen.
	// A control sequence of a dozen bytes may change all cells (DECFRA), at about 10 ns each, so a
	// piece takes at most about 0.2 s.
	cellWork = 200_000_000
	minPiece = 64 // the size, in bytes, of the pieces for very large screens
)

// pieceFor returns the maximum size of a piece of output for a terminal of this size.
func pieceFor(size emulator.Size) int { return max(cellWork/(size.Rows*size.Cols), minPiece) }

// waitLoop waits for the child's end and for the output (awaitOutput), and then reports the exit. No other
// goroutine reports the exit.
func (s *Session) waitLoop() {
	exit := s.child.Wait()
	s.queue.Fail()
	s.awaitOutput(exit)
	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(s.loops.exited) // after the state says that the child has ended
	s.end.status, s.end.code, s.end.outputStillOpen = StatusExited, exit.Code, exit.Stuck
	if why := limit.Exceeded(exit.Exceeded); why != "" && s.end.why == "" {
		s.recordEndLocked(byServer + why)
	}
	if exit.Lost {
		s.end.status = StatusLost
	}
	s.state.Apply(exit.At, &eventlog.Event{Kind: eventlog.Exit, Code: exit.Code}) // exit.At: an earlier server may have seen the exit
	if !s.end.left {
		s.logMessagesLocked(s.state.LastOutputMessage())
	}
	s.ready.End()
	s.keyboard.Free(s.state.Activity)
	s.keyboardChangedLocked("")
	s.notifyLocked()
}

// aheadRetry is the interval at which awaitOutput asks whether the child's owner has more output. It has to
// ask repeatedly, because nothing happens here when a read of the owner finds no output.
const aheadRetry = 10 * time.Millisecond

// awaitOutput waits until readLoop has applied all output. If another process keeps the
// terminal open, it waits only for the output that the child's owner has read or is reading.
func (s *Session) awaitOutput(exit child.Exit) {
	if !exit.Stuck {
		<-s.loops.drained
		return
	}
	s.until(context.Background(), func() (bool, time.Duration) {
		select {
		case <-s.loops.drained:
			return true, 0
		default:
			return !s.child.Ahead(s.state.Raw.Total), aheadRetry
		}
	})
}
