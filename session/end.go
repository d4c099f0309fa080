package session

import (
	"fmt"

	"github.com/glasstty/glasstty/session/eventlog"
)

// An ending says whether and how a session has ended. The session's mutex guards it.
type ending struct {
	status Status
	code   int // the exit code; see exitCode
	// outputStillOpen reports that, child.DrainLimit after the child's end, the output had not ended.
	outputStillOpen bool
	why             string // why the server ended the session, or which person did; otherwise ""
	left            bool   // another server takes the session over, see Manager.Leave
}

// exitCode returns the exit code of the child, or nil if it is not known.
func (e ending) exitCode() *int {
	if e.status != StatusExited {
		return nil
	}
	return &e.code
}

// errExitedLocked returns the error for a call that needs a running child. verb is the past
// participle for what the call would have done, such as "resized".
func (s *Session) errExitedLocked(verb string) error {
	who := fmt.Sprintf("session %s (%s)", s.id, s.opt.Command)
	switch {
	case s.end.status == StatusLost:
		return fmt.Errorf("%w: %s was %s, and cannot be %s", ErrExited, who, lostWhen, verb)
	case s.end.why != "":
		return fmt.Errorf("%w: %s cannot be %s; %s", ErrExited, who, verb, s.end.why)
	}
	return fmt.Errorf("%w: %s ended with code %d and cannot be %s", ErrExited, who, s.end.code, verb)
}

// recordEndLocked records and logs why. This text says why the server ended the session, or which person
// did.
func (s *Session) recordEndLocked(why string) {
	s.end.why = why
	s.child.Note(eventlog.NewMarker(why))
	s.notifyLocked()
}
