package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/kernel"
)

// The words of package control, which decides who may type.
type (
	// A Person is somebody who watches sessions and may step in.
	Person = control.Person
	// A Keyboard says who may type, who decided so, and since when.
	Keyboard = control.Holding
	// KeyboardState says whose turn it is to type.
	KeyboardState = control.State
)

// The states of a session's keyboard, and how long they outlive who made them.
const (
	KeyboardFree   = control.Free   // tool calls type
	KeyboardPaused = control.Paused // nobody types
	KeyboardHeld   = control.Held   // one person types

	HoldGrace  = control.HoldGrace
	PauseGrace = control.PauseGrace
)

// maxGiveNote bounds the note with which one gives the keyboard back, in bytes.
const maxGiveNote = 1000

// A keyboard is who may type, and what depends on that. The session's mutex guards it.
type keyboard struct {
	control.Keyboard
	cut   func(error) // ends what a tool call is typing; nil when none is
	timer *time.Timer // gives the keyboard back for a holder who is away
}

// arm has lapse called when the holder has been away for too long.
func (k *keyboard) arm(lapse func()) {
	if k.timer != nil {
		k.timer.Stop()
		k.timer = nil
	}
	if h := k.Holding(); !h.Leaving.IsZero() {
		k.timer = time.AfterFunc(time.Until(h.Leaving), lapse)
	}
}

// Keyboard returns who may type.
func (s *Session) Keyboard() Keyboard {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys.Holding()
}

// KeptFromTools returns why tool calls may not end or resize the session now; nil
// when they may. The error wraps ErrHeld: who has paused a session or taken it over
// does not want it to go away, or to change, under their hands.
func (s *Session) KeptFromTools() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys.Refuses(nil)
}

// Pause keeps tool calls from typing until somebody resumes the session with
// GiveBack, or p has been away for PauseGrace. The error wraps ErrNotHeld when
// another person holds the keyboard, and ErrExited after the end.
func (s *Session) Pause(p Person) error {
	return s.stepIn(p, KeyboardPaused, false)
}

// TakeOver gives the keyboard to p: tool calls and other people cannot type until
// GiveBack, or p has been away for HoldGrace. It waits for nobody: of what a call is
// typing, what has not reached the program is not typed, as with Pause. With force it takes the keyboard from
// another person; otherwise the error wraps ErrNotHeld and names that person.
func (s *Session) TakeOver(p Person, force bool) error {
	return s.stepIn(p, KeyboardHeld, force)
}

// stepIn is Pause and TakeOver.
func (s *Session) stepIn(p Person, to KeyboardState, force bool) error {
	if err := checkPerson(p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end.status != StatusRunning {
		return s.errExitedLocked("taken over")
	}
	changed, err := s.keys.Take(p, to, force, time.Now())
	if changed {
		s.cutTypingLocked()
		s.keyboardChangedLocked(fmt.Sprintf("%s by %s", stepWords[to], p))
	}
	return err
}

// cutTypingLocked ends what a tool call is typing, as a person has stepped in, and
// drops what of it, and of the calls before, has not gone out to the program.
func (s *Session) cutTypingLocked() {
	if s.keys.cut != nil {
		s.keys.cut(s.keys.Refuses(nil))
	}
	dropped, ends := s.queue.Bar()
	s.ready.Unsent += ends
	bytes := 0
	for _, it := range dropped {
		bytes += len(it.Data)
		it.Call.Finished = true
		s.ready.Unsent--
		if it.Call.Secret {
			clear(it.Data)
		}
	}
	if len(dropped) > 0 && dropped[0].Call.Before != nil {
		s.guard.takeBack(*dropped[0].Call.Before, !dropped[0].First)
		s.keepLocked()
	}
	if bytes > 0 {
		s.readers.notices.Add(fmt.Sprintf("as %s stepped in, %d bytes of what had been accepted were not typed: the program had not read that far", s.keys.Holding().By, bytes))
	}
}

// stepWords name a step in the recording.
var stepWords = map[KeyboardState]string{KeyboardPaused: "paused", KeyboardHeld: "taken over"}

// GiveBack ends a pause, or gives the keyboard back with a note that each reader
// gets in its next reply. The error wraps ErrNotHeld when p does not hold it;
// with force it is taken from whoever does.
func (s *Session) GiveBack(p Person, note string, force bool) error {
	if err := checkPerson(p); err != nil {
		return err
	}
	note = strings.TrimSpace(note)
	if len(note) > maxGiveNote {
		return fmt.Errorf("%w: the note has %d bytes; at most %d", ErrArgument, len(note), maxGiveNote)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was, err := s.keys.Give(p, force, time.Now())
	if err != nil {
		return err
	}
	s.givenBackLocked(was, p.String(), note)
	return nil
}

// givenBackLocked tells everybody that the keyboard is free again.
func (s *Session) givenBackLocked(was Keyboard, who, note string) {
	what, end := "had taken over", "gave the keyboard back; look before you type"
	if was.State == KeyboardPaused {
		what, end = "had paused the session", "ended the pause"
	}
	if who != was.By.String() {
		end = who + " " + end
	}
	say := fmt.Sprintf("%s %s since %s, and %s", was.By, what, was.Since.Format(time.TimeOnly), end)
	if line := s.guard.Editing.Unfinished(s.state, s.guard.Draft.Hidden); line != "" && s.guard.Draft.By.Person {
		say += fmt.Sprintf("; a line is begun and not submitted: %q", guard.Clip(s.hide(line)))
	}
	if note != "" {
		say = fmt.Sprintf("%s, and says: %q", say, note)
	}
	s.readers.notices.Add(say)
	s.keyboardChangedLocked("given back by " + who)
}

// keyboardChangedLocked arms the timer of a holder who is away, marks the
// recording and wakes all who wait.
func (s *Session) keyboardChangedLocked(mark string) {
	if mark != "" {
		s.markLocked(mark)
	}
	s.keys.arm(s.keyboardLapses)
	if s.keys.Holding().State == KeyboardFree {
		s.queue.Unbar()
	}
	s.keepLocked()
	s.notifyLocked()
}

// keyboardLapses gives the keyboard back for a holder who is away.
func (s *Session) keyboardLapses() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end.left {
		return // the next server has its own clock for that
	}
	if was, ok := s.keys.Lapse(time.Now()); ok {
		s.givenBackLocked(was, "the server, when "+was.By.String()+" had gone,", "")
	}
}

// EndAs ends the program as Terminate does, for a person. The agents are told who did.
func (s *Session) EndAs(ctx context.Context, p Person) error {
	if err := checkPerson(p); err != nil {
		return err
	}
	s.mu.Lock()
	if s.end.status == StatusRunning && s.end.why == "" {
		s.endedLocked("ended by " + p.String())
		s.keepLocked()
	}
	s.mu.Unlock()
	_, err := s.Terminate(ctx, TerminateOptions{})
	return err
}

// ResizeAs resizes the terminal as Resize does, for a person. The agents are told.
func (s *Session) ResizeAs(p Person, rows, cols int) error {
	if err := checkPerson(p); err != nil {
		return err
	}
	size, err := s.Resize(rows, cols)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers.notices.Add(fmt.Sprintf("%s changed the terminal's size to %d rows and %d columns", p, size.Rows, size.Cols))
	s.notifyLocked()
	return nil
}

// Attend notes that p watches the session, over one more connection, until leave
// is called. While p holds the keyboard and no connection is left, the keyboard
// waits for HoldGrace. The error wraps ErrTooMany.
func (s *Session) Attend(p Person) (leave func(), err error) {
	if err := checkPerson(p); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	changed, err := s.keys.Come(p)
	if err != nil {
		return nil, err
	}
	if changed {
		s.keyboardChangedLocked("")
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.usedLocked(time.Now())
		if s.keys.Go(p, time.Now()) {
			s.keyboardChangedLocked("")
		}
	}, nil
}

// TypeAs types in for a person who holds the keyboard. It is otherwise as Type.
// The error wraps ErrNotHeld when p does not hold it.
func (s *Session) TypeAs(ctx context.Context, p Person, in Input) (int, error) {
	if err := checkPerson(p); err != nil {
		return 0, err
	}
	return s.typeNow(ctx, entry{Input: in, by: &p})
}

// TypeSecret types secret and Enter for a person where the program asks for a
// password, whoever else has the keyboard but another person. It is in no output,
// message, recording or log. The error wraps ErrNoSecret when the program asks
// for none.
func (s *Session) TypeSecret(ctx context.Context, p Person, secret string) error {
	if err := checkPerson(p); err != nil {
		return err
	}
	if strings.ContainsAny(secret, "\r\n") {
		return fmt.Errorf("%w: a password is one line; nothing was typed", ErrArgument)
	}
	_, err := s.typeNow(ctx, entry{Input: Input{Text: secret, Enter: true}, by: &p, secret: true})
	return err
}

// AsksSecret reports whether the program asks for a password, as far as the
// terminal's modes or the last wait show it.
func (s *Session) AsksSecret() bool {
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := tty.Known && tty.Canonical && !tty.Echo || s.state.Reason == detect.Password && !s.ready.Answered
	return s.end.status == StatusRunning && waiting
}

// mayTypeLocked returns why in may not be typed now.
func (s *Session) mayTypeLocked(in entry, tty kernel.TTY) error {
	if !in.secret {
		return s.keys.Refuses(in.by)
	}
	if k := s.keys.Holding(); k.State == KeyboardHeld && k.By.ID != in.by.ID {
		return s.keys.Refuses(in.by)
	}
	if !s.ready.Secret(tty) {
		return fmt.Errorf("%w: session %s (%s); nothing was typed", ErrNoSecret, s.id, s.opt.Command)
	}
	return nil
}

// checkPerson reports a person that cannot be told from others.
func checkPerson(p Person) error {
	if err := p.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrArgument, err)
	}
	return nil
}
