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

// Types of package control, which decides who may type.
type (
	// A Person watches sessions and may step in.
	Person = control.Person
	// A Holding says who may type, who decided so, and since when.
	Holding = control.Holding
)

// Two states of a session's keyboard, and how long a person who has left still holds it.
const (
	KeyboardFree = control.Free // tool calls type
	KeyboardHeld = control.Held // one person types

	HoldGrace = control.HoldGrace
)

// A keyboard is a control.Keyboard with the actions that follow its changes. The session's mutex
// guards it.
type keyboard struct {
	control.Keyboard
	cut   func(error) // stops the tool call that is typing: the call returns the error; nil if no tool call types
	timer *time.Timer // releases the keyboard of a holder who is away
}

// CheckTools returns an error that wraps ErrPersonControls while a person has paused the session or taken
// it over. During that time, tool calls may not type, and may not end or resize the session.
func (s *Session) CheckTools() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keyboard.CheckTyping(control.Author{})
}

// cutTypingLocked stops the tool call that is typing, because a person steps in. It drops the queued input
// of tool calls, restores the guard's record of the line as it was before that input, and lets the queue
// refuse further input of tool calls.
func (s *Session) cutTypingLocked() {
	if s.keyboard.cut != nil {
		s.keyboard.cut(s.keyboard.CheckTyping(control.Author{}))
	}
	dropped := s.queue.BlockTools()
	bytes := 0
	for _, it := range dropped {
		bytes += len(it.Data)
		it.Call.Input.Finished = true
		if it.Call.Input.Secret {
			clear(it.Data)
		}
	}
	if len(dropped) > 0 && dropped[0].Call.Line != nil {
		s.guard.restoreLine(*dropped[0].Call.Line, !dropped[0].First)
		s.keepLocked()
	}
	if bytes > 0 {
		s.readers.Notices.Add(fmt.Sprintf("%s stepped in: the last %d bytes of accepted input were not typed, because the program had not read that far", s.keyboard.Holding().By, bytes))
	}
}

// releasedLocked tells the readers who has released the keyboard, and wakes all waiting calls.
func (s *Session) releasedLocked(previous Holding, who, note string) {
	line := ""
	if s.guard.Draft.By.Person {
		line = guard.Clip(s.m.Hide(s.guard.Editing.Unfinished(s.state, s.guard.Draft.Hidden)))
	}
	s.readers.Notices.Add(previous.ReleaseNote(who, line, note))
	s.keyboardChangedLocked("given back by " + who)
}

// keyboardChangedLocked arms the timer for a holder who is away, lets tool calls type again if the keyboard
// is free, and wakes all waiting calls. If mark is not empty, it adds mark to the recording.
func (s *Session) keyboardChangedLocked(mark string) {
	if mark != "" {
		s.child.Note(eventlog.NewMarker(mark))
	}
	if s.keyboard.timer != nil {
		s.keyboard.timer.Stop()
	}
	k := s.keyboard.Holding()
	if !k.FreeAt.IsZero() {
		s.keyboard.timer = time.AfterFunc(time.Until(k.FreeAt), s.releaseIfAway)
	}
	if k.State == KeyboardFree {
		s.queue.UnblockTools()
	}
	s.keepLocked()
	s.notifyLocked()
}

// releaseIfAway releases the keyboard, or ends the pause, of a person who is away for too long.
func (s *Session) releaseIfAway() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end.left {
		return // the next server has its own timer
	}
	if previous, ok := s.keyboard.Expire(time.Now()); ok {
		s.releasedLocked(previous, "the server, when "+previous.By.String()+" had gone,", "")
	}
}

// AsksSecret reports whether the program runs and asks for a password. It judges by the terminal's modes,
// and by the last verdict while the question is unanswered; see ready.Watch.AsksPassword.
func (s *Session) AsksSecret() bool {
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end.status == StatusRunning && s.ready.AsksPassword(tty)
}

// checkTypingLocked returns an error if e may not be typed now; see Operator.Type and Operator.TypeSecret.
func (s *Session) checkTypingLocked(e entry, tty kernel.TTY) error {
	if !e.secret {
		return s.keyboard.CheckTyping(e.by)
	}
	if k := s.keyboard.Holding(); k.State == KeyboardHeld && k.By.ID != e.by.ID {
		return s.keyboard.CheckTyping(e.by)
	}
	if !s.ready.InputIsSecret(tty) {
		return fmt.Errorf("%w: session %s (%s); nothing was typed", ErrNoSecret, s.id, s.opt.Command)
	}
	return nil
}

// maxQuestionMatches is the maximum number of matches of the expected question that are checked.
const maxQuestionMatches = 100

// AsksUnexpectedSecret reports whether the program asks for a secret and expected does not match the
// question. It judges by the terminal's modes, the last verdict, and the text at the cursor. A nil
// expected matches no question. The match must end in the cursor's line.
func (s *Session) AsksUnexpectedSecret(expected *regexp.Regexp) bool {
	asks := s.AsksSecret()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !asks && !s.state.AsksSecret() {
		return false
	}
	if expected == nil {
		return true
	}
	question, at := s.state.Question()
	for _, m := range expected.FindAllStringIndex(question, maxQuestionMatches) {
		if m[1] > at && strings.TrimSpace(question[m[0]:m[1]]) != "" {
			return false
		}
	}
	return true
}
