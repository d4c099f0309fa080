package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/glasstty/glasstty/detect"
)

// Keyboard returns who may type.
func (s *Session) Keyboard() Keyboard {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys.state()
}

// KeptFromTools returns why tool calls may not end or resize the session now; nil
// when they may. The error wraps ErrHeld: who has paused a session or taken it over
// does not want it to go away, or to change, under their hands.
func (s *Session) KeptFromTools() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys.refuses(nil)
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
	if s.status != StatusRunning {
		return s.errExitedLocked("taken over")
	}
	was := s.keys.changes
	if err := s.keys.takes(p, to, force, time.Now()); err != nil {
		return err
	}
	if s.keys.changes != was {
		s.cutTypingLocked()
		s.keyboardChangedLocked(fmt.Sprintf("%s by %s", stepWords[to], p))
	}
	return nil
}

// untilStepIn returns a context that ends when a person steps in while a tool call
// types, with the reason as its cause; done says that the call has typed. The error is
// that reason when somebody has by now. The caller has the turn.
func (s *Session) untilStepIn(ctx context.Context, call *typing) (_ context.Context, done func(), err error) {
	if !call.tool() {
		return ctx, func() {}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.keys.refuses(nil); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s.cutTyping = cancel
	return ctx, func() {
		s.mu.Lock()
		s.cutTyping = nil
		s.mu.Unlock()
		cancel(nil)
	}, nil
}

// cutTypingLocked ends what a tool call is typing, as a person has stepped in, and
// drops what of it, and of the calls before, has not gone out to the program.
func (s *Session) cutTypingLocked() {
	if s.cutTyping != nil {
		s.cutTyping(s.keys.refuses(nil))
	}
	dropped, ends := s.queue.bar()
	s.unsent += ends
	bytes := 0
	for _, it := range dropped {
		bytes += len(it.data)
		it.call.finished = true
		s.unsent--
		if it.call.secret {
			clear(it.data)
		}
	}
	if bytes > 0 {
		s.notices.add(fmt.Sprintf("as %s stepped in, %d bytes of what had been accepted were not typed: the program had not read that far", s.keys.state().By, bytes))
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
	was, err := s.keys.gives(p, force, time.Now())
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
	if note != "" {
		say = fmt.Sprintf("%s, and says: %q", say, note)
	}
	s.notices.add(say)
	s.keyboardChangedLocked("given back by " + who)
}

// keyboardChangedLocked arms the timer of a holder who is away, marks the
// recording and wakes all who wait.
func (s *Session) keyboardChangedLocked(mark string) {
	if mark != "" {
		s.markLocked(mark)
	}
	if s.keysTimer != nil {
		s.keysTimer.Stop()
		s.keysTimer = nil
	}
	if s.keys.state().State == KeyboardFree {
		s.queue.unbar()
	}
	if k := s.keys.now; !k.Leaving.IsZero() {
		s.keysTimer = time.AfterFunc(time.Until(k.Leaving), s.keyboardLapses)
	}
	s.keepLocked()
	s.notifyLocked()
}

// keyboardLapses gives the keyboard back for a holder who is away.
func (s *Session) keyboardLapses() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left {
		return // the next server has its own clock for that
	}
	if was, ok := s.keys.lapses(time.Now()); ok {
		s.givenBackLocked(was, "the server, when "+was.By.String()+" had gone,", "")
	}
}

// endKeyboardLocked frees the keyboard of a session that has ended.
func (s *Session) endKeyboardLocked() {
	if s.keys.state().State != KeyboardFree {
		s.keys.set(Keyboard{State: KeyboardFree, Since: s.activity})
	}
	s.keyboardChangedLocked("")
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
	was := s.keys.changes
	if err := s.keys.comes(p); err != nil {
		return nil, err
	}
	if s.keys.changes != was {
		s.keyboardChangedLocked("")
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		was := s.keys.changes
		s.usedLocked(time.Now())
		s.keys.goes(p, time.Now())
		if s.keys.changes != was {
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
	in.by = &p
	return s.Type(ctx, in)
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
	_, err := s.Type(ctx, Input{Text: secret, Enter: true, by: &p, secret: true})
	return err
}

// AsksSecret reports whether the program asks for a password, as far as the
// terminal's modes or the last wait show it.
func (s *Session) AsksSecret() bool {
	tty := s.lookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := tty.known && tty.canonical && !tty.echo || s.lastReason == detect.Password && !s.answered
	return s.status == StatusRunning && waiting
}

// mayTypeLocked returns why in may not be typed now.
func (s *Session) mayTypeLocked(in Input, tty ttyState) error {
	if !in.secret {
		return s.keys.refuses(in.by)
	}
	if k := s.keys.state(); k.State == KeyboardHeld && k.By.ID != in.by.ID {
		return s.keys.refuses(in.by)
	}
	if !s.secretLocked(tty) {
		return fmt.Errorf("%w: session %s (%s); nothing was typed", ErrNoSecret, s.id, s.opt.Command)
	}
	return nil
}

// checkPerson reports a person that cannot be told from others.
func checkPerson(p Person) error {
	if p.ID == "" || len(p.ID) > maxPersonName || len(p.Name) > maxPersonName {
		return fmt.Errorf("%w: a person needs an id; id and name have at most %d bytes", ErrArgument, maxPersonName)
	}
	return nil
}

// releasedLocked is the verdict on UntilReleased.
func (s *Session) releasedLocked() detect.Verdict {
	if s.status != StatusRunning || s.keys.state().State != KeyboardFree {
		return detect.Verdict{}
	}
	return detect.Verdict{Done: true, Reason: detect.Released, Layer: detect.LayerRequest, Why: []string{"the keyboard is free: tool calls may type"}}
}
