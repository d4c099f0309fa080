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
	"github.com/glasstty/glasstty/session/text"
)

// A writer writes a session's queued input to the child and records it. Only its goroutine
// uses it.
type writer struct {
	s      *Session
	secret redact.TypedSecret // the password that is being typed, so that the mask hides it
}

// run writes queued input to the child, each item whole, in order.
func (w *writer) run() {
	for {
		it, ok := w.s.queue.Take()
		if !ok {
			return
		}
		note := w.recordInput(&it)
		err := w.write(&it, note)
		w.awaitDelivery()
		w.recordWritten(&it)
		if err != nil {
			w.s.queue.Fail()
			return
		}
	}
}

// recordInput applies a piece of input to the session's state, and records what the terminal and the program
// do. It is called before the piece is written, because the echo may arrive before the write returns. If
// the piece is the first of an input, recordInput returns the input's note, otherwise nil.
func (w *writer) recordInput(it *queue.Item) (note *eventlog.InputNote) {
	s := w.s
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready.BeforeWrite(it.Data, tty, it.Call != nil)
	if it.Call == nil {
		return nil
	}
	if it.First {
		note = w.beginLocked(it, tty)
	}
	if call := it.Call; !call.Input.Secret && len(it.Data) > 0 {
		s.state.Apply(time.Now(), &eventlog.Event{Kind: eventlog.Input, Data: it.Data})
	}
	if it.First {
		it.Call.Input = s.state.Last
		it.Call.Input.Finished = false // recordWritten sets it
		s.ready.RestartMotion()
	}
	if it.Call.OneByOne && s.state.Term.FullScreen() {
		s.ready.ExpectEcho(it.Data)
	}
	return note
}

// beginLocked records an input just before its first piece is written, and returns its note.
func (w *writer) beginLocked(it *queue.Item, tty kernel.TTY) *eventlog.InputNote {
	s, call, now := w.s, it.Call, time.Now()
	s.ready.BeforeInput(now)
	if s.ready.InputIsSecret(tty) || s.ready.NestedPasswordPrompt() {
		call.Hide()
		if s.m.HidesSecrets() {
			w.secret.Add(s.m.mask().Learn, call.Data)
		}
	} else {
		w.secret.Clear()
	}
	s.logMessagesLocked(s.state.MessagesFor(w.message(now, call), call.Input.Secret))
	note := call.Input.InputNote
	note.Number, note.Echo, note.Prompt = s.state.Inputs+1, tty.Known && tty.Canonical && tty.Echo, s.ready.PromptStart()
	if !note.NoEcho && call.Encoded.Text != string(it.Data) {
		note.Text = &call.Encoded.Text
	}
	s.state.Apply(now, eventlog.NewNote(eventlog.NoteInput, note))
	return &note
}

func (w *writer) message(now time.Time, call *queue.Call) state.Message {
	m := state.Message{MessageNote: eventlog.MessageNote{Type: state.MessageInput, Person: call.Input.By, At: now.UnixMicro(), Size: call.Input.Size}}
	if call.Input.Secret {
		m.CutContent(fmt.Sprintf("(secret, %d bytes)", m.Size), 0)
	} else {
		m.CutContent(w.s.m.Hide(text.Readable(string(call.Data))), 0)
	}
	return m
}

// write writes one item of input to the child, with the note that recordInput returned. If the item is the
// last one of a child on pipes (EOF), the child's input is closed.
func (w *writer) write(it *queue.Item, note *eventlog.InputNote) error {
	in := child.Input{Data: it.Data, Silent: it.Call == nil}
	if it.Call == nil {
		in.Replies = it.Offset
	} else {
		in.Call, in.Offset = it.Call.ID, it.Offset
		in.Silent, in.EOF = it.Call.Input.Secret, it.Call.EOF && it.Last
		if note != nil {
			in.Note = eventlog.NewNote(eventlog.NoteInput, w.s.m.logged(note))
		}
	}
	_, err := w.s.child.Write(in)
	return err
}

// awaitDelivery waits until the written bytes have reached the terminal's line discipline, and records
// whether they are known to have reached it.
func (w *writer) awaitDelivery() {
	s := w.s
	delivered := true // what was written to a pipe can be read at once
	if master := s.child.Terminal(); master != nil {
		_, delivered = kernel.UnreadInput(master)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready.SetDelivered(delivered)
}

// recordWritten records that a piece of input was written, or that writing it failed.
func (w *writer) recordWritten(it *queue.Item) {
	s, call := w.s, it.Call
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notifyLocked()
	s.queue.Written()
	s.ready.SetStale()
	if call == nil {
		return
	}
	s.ready.AfterWrite(time.Now())
	if it.Last {
		call.Input.Finished = true
		if call.EOF {
			s.ready.SetInputEnded()
		}
	}
	if call.Input.Secret {
		if !s.ready.Answered && (it.Last && call.Input.Submitted || ready.Wakes(it.Data)) {
			s.ready.Answered = true
			s.keepLocked() // the next server must not take later input for a password
		}
		clear(it.Data)
	}
}
