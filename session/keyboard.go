package session

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/kernel"
)

// The words of package control, which decides who may type.
type (
	// A Person is somebody who watches sessions and may step in.
	Person = control.Person
	// A Keyboard says who may type, who decided so, and since when.
	Keyboard = control.Holding
)

// The states of a session's keyboard, and how long they outlive who made them.
const (
	KeyboardFree = control.Free // tool calls type
	KeyboardHeld = control.Held // one person types

	HoldGrace = control.HoldGrace
)

// A keyboard says who may type. The session's mutex guards it.
type keyboard struct {
	control.Keyboard
	cut   func(error) // ends what a tool call is typing; nil when none is
	timer *time.Timer // releases the keyboard of a holder who is away
}

// arm calls lapse when the holder has been away for too long.
func (k *keyboard) arm(lapse func()) {
	if k.timer != nil {
		k.timer.Stop()
		k.timer = nil
	}
	if h := k.Holding(); !h.Leaving.IsZero() {
		k.timer = time.AfterFunc(time.Until(h.Leaving), lapse)
	}
}

// KeptFromTools returns an error that wraps ErrHeld while a person has paused the session
// or taken it over: tool calls may not type, and may not end or resize it.
func (s *Session) KeptFromTools() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys.Refuses(control.Author{})
}

// cutTypingLocked stops the tool call that is typing, because a person steps in. It drops
// the queued input of tool calls.
func (s *Session) cutTypingLocked() {
	if s.keys.cut != nil {
		s.keys.cut(s.keys.Refuses(control.Author{}))
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

// givenBackLocked reports that the keyboard is free again.
func (s *Session) givenBackLocked(was Keyboard, who, note string) {
	line := ""
	if s.guard.Draft.By.Person {
		line = guard.Clip(s.m.Hide(s.guard.Editing.Unfinished(s.state, s.guard.Draft.Hidden)))
	}
	s.readers.notices.Add(was.GivenBack(who, line, note))
	s.keyboardChangedLocked("given back by " + who)
}

// keyboardChangedLocked arms the timer for a holder who is away, marks the recording and
// wakes all waiting calls.
func (s *Session) keyboardChangedLocked(mark string) {
	if mark != "" {
		s.child.Note(eventlog.NewMarker(mark))
	}
	s.keys.arm(s.keyboardLapses)
	if s.keys.Holding().State == KeyboardFree {
		s.queue.Unbar()
	}
	s.keepLocked()
	s.notifyLocked()
}

// keyboardLapses releases the keyboard of a holder who is away.
func (s *Session) keyboardLapses() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end.left {
		return // the next server has its own timer
	}
	if was, ok := s.keys.Lapse(time.Now()); ok {
		s.givenBackLocked(was, "the server, when "+was.By.String()+" had gone,", "")
	}
}

// AsksSecret reports whether the program asks for a password, by the terminal's modes or
// the last verdict.
func (s *Session) AsksSecret() bool {
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end.status == StatusRunning && s.ready.Asks(tty)
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

// secretMatches is how many matches of an expected question are checked.
const secretMatches = 100

// AsksUnexpectedSecret reports whether the program asks for a secret, by the terminal's
// modes, the last verdict, or the text at the cursor, and expected does not match the
// question. A nil expected matches nothing.
func (s *Session) AsksUnexpectedSecret(expected *regexp.Regexp) bool {
	asks := s.AsksSecret()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !asks && !s.state.WordsAskSecret() {
		return false
	}
	if expected == nil {
		return true
	}
	question, at := s.state.Question()
	for _, m := range expected.FindAllStringIndex(question, secretMatches) {
		if m[1] > at && strings.TrimSpace(question[m[0]:m[1]]) != "" {
			return false
		}
	}
	return true
}
