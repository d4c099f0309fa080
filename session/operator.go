package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/guard"
)

// An Operator acts on a session for a person who watches the session and may step in.
type Operator struct {
	s      *Session
	person Person
}

// As returns the Operator for a person.
func (s *Session) As(p Person) Operator { return Operator{s, p} }

// Pause keeps tool calls from typing until any person calls GiveBack, or until the person who has paused
// has been away for control.PauseGrace. The error wraps ErrNoKeyboard if another person holds the keyboard,
// and ErrExited after the end of the program.
func (o Operator) Pause() error { return o.stepIn(control.Paused, false) }

// TakeOver gives the keyboard to the person: tool calls and other people cannot type until GiveBack, or
// until the person has been away for HoldGrace. Like Pause, it does not wait for a call that is typing: the
// part of the call's input that has not reached the program is dropped. If another person holds the
// keyboard, and force is false, the error wraps ErrNoKeyboard and names that person; with force, TakeOver
// takes the keyboard away. The error wraps ErrExited after the end of the program.
func (o Operator) TakeOver(force bool) error { return o.stepIn(KeyboardHeld, force) }

// stepIn implements Pause and TakeOver.
func (o Operator) stepIn(to control.State, force bool) error {
	s := o.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end.status != StatusRunning {
		return s.errExitedLocked("taken over")
	}
	changed, err := s.keyboard.Take(o.person, to, force, time.Now())
	if changed {
		s.cutTypingLocked()
		s.keyboardChangedLocked(to.Verb() + " by " + o.person.String())
	}
	return err
}

// GiveBack ends a pause, also that of another person, or releases the keyboard. note, which may be empty, is
// part of the next reply of each reader. The error wraps ErrNoKeyboard if tool calls may type already, or
// if another person holds the keyboard and force is false.
func (o Operator) GiveBack(note string, force bool) error {
	note = strings.TrimSpace(note)
	if len(note) > control.MaxNote {
		return fmt.Errorf("%w: the note has %d bytes; at most %d", ErrArgument, len(note), control.MaxNote)
	}
	s := o.s
	s.mu.Lock()
	defer s.mu.Unlock()
	previous, err := s.keyboard.Release(o.person, force, time.Now())
	if err != nil {
		return err
	}
	s.releasedLocked(previous, o.person.String(), note)
	return nil
}

// Attend records that the person watches the session over one more connection, until leave is called. A
// person without a connection is away. HoldGrace after the keyboard's holder has gone away, the keyboard
// is released. control.PauseGrace after the person who has paused has gone away, the pause ends.
func (o Operator) Attend() (leave func()) {
	s := o.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keyboard.Connect(o.person) {
		s.keyboardChangedLocked("")
	}
	return o.leave
}

// leave undoes Attend.
func (o Operator) leave() {
	s := o.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usedLocked(time.Now())
	if s.keyboard.Disconnect(o.person, time.Now()) {
		s.keyboardChangedLocked("")
	}
}

// Type types the input in, as Session.Type does. The error wraps ErrNoKeyboard if the person does not hold
// the keyboard.
func (o Operator) Type(ctx context.Context, in Input) (int, error) {
	return o.s.typeNow(ctx, entry{Input: in, by: o.person.Author()})
}

// TypeSecret types secret and Enter if the program asks for a password. Messages, recordings and logs do not
// contain the secret. The error wraps ErrNoSecret if the program does not ask for a password, and
// ErrNoKeyboard if another person holds the keyboard.
func (o Operator) TypeSecret(ctx context.Context, secret string) error {
	if strings.ContainsAny(secret, "\r\n") {
		return fmt.Errorf("%w: a password is one line; nothing was typed", ErrArgument)
	}
	_, err := o.s.typeNow(ctx, entry{Input: Input{Text: secret, Enter: true}, by: o.person.Author(), secret: true})
	return err
}

// Approve types a held input as the tool call would have typed it, and tells the agents in their next
// replies. The error wraps ErrNotConfirmed if the input is no longer held, and ErrPersonControls while a
// person keeps tool calls from typing.
func (o Operator) Approve(ctx context.Context, text string) error {
	if err := o.s.CheckTools(); err != nil {
		return fmt.Errorf("give the keyboard back first: %w", err)
	}
	held, err := o.s.Confirm(text, true)
	if err != nil {
		return err
	}
	if _, err := held.Type(ctx); err != nil {
		return err
	}
	s := o.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.guard.AddAnswer(guard.Answer{By: o.person.String(), ID: o.person.ID, At: time.Now(), Line: guard.Clip(s.m.Hide(held.in.held.Line)), Allowed: true})
	s.readers.Notices.Add(fmt.Sprintf("%s approved the held input %q, and it was sent", o.person, guard.Clip(text)))
	s.heldChangedLocked()
	return nil
}

// Refuse removes a held input, and tells the agents in their next replies. From then on only a person can
// allow that input in this session, even if it is typed differently (see guard.Refusal). The error wraps
// ErrNotConfirmed if the input is no longer held.
func (o Operator) Refuse(text string) error {
	s := o.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.guard.Refuse(guard.Answer{By: o.person.String(), ID: o.person.ID, At: time.Now()}, text, s.m.Hide); err != nil {
		return err
	}
	s.readers.Notices.Add(fmt.Sprintf("%s refused the held input %q; do not try it another way", o.person, guard.Clip(text)))
	s.heldChangedLocked()
	return nil
}

// Resize resizes the terminal as Session.Resize does, and tells the agents.
func (o Operator) Resize(rows, cols int) error {
	size, err := o.s.Resize(rows, cols)
	if err != nil {
		return err
	}
	s := o.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers.Notices.Add(fmt.Sprintf("%s changed the terminal's size to %d rows and %d columns", o.person, size.Rows, size.Cols))
	s.notifyLocked()
	return nil
}

// End ends the program as Terminate does, and tells the agents who ended it.
func (o Operator) End(ctx context.Context) error {
	s := o.s
	s.mu.Lock()
	if s.end.status == StatusRunning && s.end.why == "" {
		s.recordEndLocked("ended by " + o.person.String())
		s.keepLocked()
	}
	s.mu.Unlock()
	_, err := s.Terminate(ctx, TerminateOptions{})
	return err
}
