package session

import (
	"time"

	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/queue"
)

// beforeWrite notes where the terminal stands as a piece of input goes out:
// the echo may come before the write returns.
func (s *Session) beforeWrite(it *queue.Item) {
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready.Writing(it.Data, tty, it.Call != nil)
	if it.Call == nil {
		return
	}
	if it.First {
		s.beginLocked(it, tty)
	}
	if call := it.Call; !call.Secret && len(it.Data) > 0 {
		s.state.Apply(time.Now(), &eventlog.Event{Kind: eventlog.Input, Data: it.Data})
	}
	if it.First {
		it.Call.Input = s.state.Last
		it.Call.Finished = false // until it has reached the program
		s.ready.NewMotion()
	}
	if it.Call.Apart && s.state.FullScreen() {
		s.ready.ExpectEcho(it.Data)
	}
}

// beginLocked notes an input whose first part goes out.
func (s *Session) beginLocked(it *queue.Item, tty kernel.TTY) {
	now := time.Now()
	s.ready.Typing(now)
	call := it.Call
	if s.ready.AsksSecret(tty) {
		call.Secret, call.Text, call.Echoes = true, "", false
		if s.m.Hides() {
			s.secret.Take(s.m.mask().Learn, call.Data)
		}
	} else {
		s.secret.Drop()
	}
	s.noteInputLocked(now, call)
	call.Kernel = tty.Known && tty.Canonical && tty.Echo
	call.Note = call.NoteFor(s.state.Inputs+1, s.ready.PromptStart(), it.Data)
	s.state.Apply(now, eventlog.NewNote(eventlog.NoteInput, call.Note))
}

// deliver waits until what was written has reached the child's side.
func (s *Session) deliver() {
	delivered := true // in a pipe at once
	if master := s.child.Terminal(); master != nil {
		delivered = kernel.Deliver(master)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready.Delivered(delivered)
}

// replied notes that a reply of the emulator was written.
func (s *Session) replied() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready.Written()
	s.notifyLocked()
}

// afterWrite notes that a piece of input has reached the terminal.
func (s *Session) afterWrite(it *queue.Item) {
	if it.Call == nil {
		s.replied()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	call := it.Call
	now := time.Now()
	s.ready.Typed(now)
	if it.Finish {
		call.Finished = true
		if call.EOF {
			s.ready.InputEnded()
		}
		s.ready.Answered = s.ready.Answered || call.Secret && call.Submitted
	}
	if call.Secret {
		clear(it.Data)
	}
	s.notifyLocked()
}
