package session

import (
	"fmt"
	"time"

	"github.com/glasstty/glasstty/internal/redact"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/queue"
	"github.com/glasstty/glasstty/session/ready"
	"github.com/glasstty/glasstty/session/state"
)

// A writer writes a session's queued input to the child and records it. Only its goroutine
// uses it.
type writer struct {
	s      *Session
	secret redact.Typed // the answer that is being typed to a question for a password
}

// run writes queued input to the child, each item whole, in order.
func (w *writer) run() {
	for {
		it, ok := w.s.queue.Take()
		if !ok {
			return
		}
		w.before(&it)
		_, err := w.write(&it)
		w.deliver()
		w.after(&it)
		if err != nil {
			w.s.queue.Fail()
			return
		}
	}
}

// before records the terminal's state just before a piece of input goes out: the echo may
// come before the write returns.
func (w *writer) before(it *queue.Item) {
	s := w.s
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready.Writing(it.Data, tty, it.Call != nil)
	if it.Call == nil {
		return
	}
	if it.First {
		w.beginLocked(it, tty)
	}
	if call := it.Call; !call.Secret && len(it.Data) > 0 {
		s.state.Apply(time.Now(), &eventlog.Event{Kind: eventlog.Input, Data: it.Data})
	}
	if it.First {
		it.Call.Input = s.state.Last
		it.Call.Finished = false // until it has reached the program
		s.ready.NewMotion()
	}
	if it.Call.Apart && s.state.Term.FullScreen() {
		s.ready.ExpectEcho(it.Data)
	}
}

// beginLocked records an input just before its first part goes out.
func (w *writer) beginLocked(it *queue.Item, tty kernel.TTY) {
	s, call, now := w.s, it.Call, time.Now()
	s.ready.Typing(now)
	if s.ready.AsksSecret(tty) {
		call.Secret, call.Text, call.Echoes = true, "", false
		if s.m.Hides() {
			w.secret.Take(s.m.mask().Learn, call.Data)
		}
	} else {
		w.secret.Drop()
	}
	s.logMessagesLocked(s.state.MessagesFor(w.message(now, call), call.Secret))
	call.Kernel = tty.Known && tty.Canonical && tty.Echo
	call.Note = call.NoteFor(s.state.Inputs+1, s.ready.PromptStart(), it.Data)
	s.state.Apply(now, eventlog.NewNote(eventlog.NoteInput, call.Note))
}

// message returns the message for a call.
func (w *writer) message(now time.Time, call *queue.Call) state.Message {
	m := state.Message{Type: state.MessageInput, Person: call.By.PersonName(), CreatedAt: now, Size: len(call.Data)}
	if call.Secret {
		m.Size = state.SecretLen(call.Data)
		m.CutContent(fmt.Sprintf("(secret, %d bytes)", m.Size), 0)
	} else {
		m.CutContent(w.s.m.Hide(state.Readable(call.Data)), 0)
	}
	return m
}

// write writes one item of input to the child, and closes a pipe at the end of its input.
func (w *writer) write(it *queue.Item) (int, error) {
	in := child.Input{Data: it.Data, Silent: it.Call == nil}
	if it.Call == nil {
		in.Replies = it.Offset
	} else {
		in.Call, in.Offset = it.Call.Number, it.Offset
		in.Silent, in.EOF = it.Call.Secret, it.Call.EOF && it.Finish
		if it.First {
			in.Note = w.s.m.logged(it.Call.Note)
		}
	}
	return w.s.child.Write(in)
}

// deliver waits until the written bytes have reached the child's side.
func (w *writer) deliver() {
	s := w.s
	delivered := true // in a pipe at once
	if master := s.child.Terminal(); master != nil {
		delivered = kernel.Deliver(master)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready.Delivered(delivered)
}

// after records that a piece of input has reached the terminal.
func (w *writer) after(it *queue.Item) {
	s, call := w.s, it.Call
	if call == nil {
		s.replied()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready.Typed(time.Now())
	if it.Finish {
		call.Finished = true
		if call.EOF {
			s.ready.InputEnded()
		}
	}
	if call.Secret {
		if !s.ready.Answered && (it.Finish && call.Submitted || ready.Wakes(it.Data)) {
			s.ready.Answered = true
			s.keepLocked() // the next server must not take what comes now for a password
		}
		clear(it.Data)
	}
	s.notifyLocked()
}

// replied records that a reply of the emulator was written or dropped.
func (s *Session) replied() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready.Written()
	s.notifyLocked()
}
