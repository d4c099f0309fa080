package session

import (
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/child"
)

// readLoop takes what the child writes until there is no more. It is the only one
// to write to the emulator.
func (s *Session) readLoop() {
	defer close(s.drained)
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
			s.answer(s.take(&e))
		}
	}
}

// take gives what the child wrote to the emulator. It returns its replies, and up
// to which byte of output they answer.
func (s *Session) take(e *child.Event) (replies []byte, upTo int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	replies = s.takeLocked(time.Now(), e.Data)
	s.saves.logged = e.Logged
	s.dueLocked(len(e.Data))
	return replies, s.raw.total
}

// answer gives replies to the program that asks its terminal.
func (s *Session) answer(replies []byte, upTo int64) {
	if len(replies) > 0 && !s.queue.reply(replies, upTo) {
		s.replied(0)
	}
}

// takeLocked gives what the child wrote at a time to the emulator and returns its
// replies.
func (s *Session) takeLocked(now time.Time, p []byte) []byte {
	s.raw.write(p)
	if s.opt.Pipe {
		p = asTerminal(p)
	}
	_, _ = s.term.Write(p) // always nil, see Terminal.Write
	s.lastOutput, s.activity = now, now
	s.pace.Output(now, s.term.EndLine())
	s.takeEventsLocked(now)
	s.noteOutputLocked(now)
	s.view.fresh = false
	s.notifyLocked()
	replies := s.term.TakeReplies()
	if s.opt.Pipe {
		return nil // who asks a terminal over a pipe does not expect an answer in its input
	}
	if len(replies) > 0 {
		s.unsent++ // until it is written, the program waits for it
	}
	return replies
}

// writeLoop writes queued input to the child, each item whole, in order.
func (s *Session) writeLoop() {
	for {
		it, ok := s.queue.take()
		if !ok {
			return
		}
		s.beforeWrite(&it)
		n, err := s.write(&it)
		s.deliver()
		s.afterWrite(&it, n)
		if err != nil {
			s.queue.fail()
			return
		}
	}
}

// waitLoop waits for the child's end and is the only one to say that it has
// exited. What the child wrote has been taken by then.
func (s *Session) waitLoop() {
	exit := s.child.Wait()
	s.queue.fail()
	s.awaitTaken(exit)
	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(s.exited) // who is told of the end finds it so
	s.status, s.exitCode, s.undrain = StatusExited, exit.Code, exit.Stuck
	if why := overText(exit.Over); why != "" && s.life.ended == "" {
		s.endedLocked(why)
	}
	if exit.Lost {
		s.status = StatusLost
	}
	s.activity = time.Now()
	if !s.left {
		s.endMessagesLocked()
	}
	s.unsent, s.view.fresh = 0, false
	s.view.close()
	s.endKeyboardLocked()
	s.notifyLocked()
}

// awaitTaken waits until readLoop has taken all that the child wrote, or what
// there was when it ended where something else keeps its terminal open.
func (s *Session) awaitTaken(exit child.Exit) {
	if !exit.Stuck {
		<-s.drained
		return
	}
	for {
		s.mu.Lock()
		ahead, changed := s.child.Ahead(s.raw.total), s.changed
		s.mu.Unlock()
		if !ahead {
			return
		}
		select {
		case <-changed:
		case <-s.drained:
			return
		case <-s.closing:
			return
		}
	}
}
