package state

import (
	"strings"

	"github.com/glasstty/glasstty/session/text"
)

// Begin saves the reader's position before a call moves it.
func (r *Reader) Begin(call string) {
	before := r.copy()
	r.Call, r.Origin = call, &before
}

// copy returns the reader without its saved positions.
func (r *Reader) copy() Reader {
	now := *r
	now.Origin, now.Start = nil, nil
	return now
}

// Repeat restores the position before a call, if the same call is repeated.
func (r *Reader) Repeat(call string) {
	if call != "" && r.Call == call && r.Origin != nil {
		*r = *r.Origin
	}
}

// BeginRun saves the reader's position before a named run of calls. If the run is repeated,
// it restores the position first.
func (r *Reader) BeginRun(name string) {
	if name != "" && r.Run == name {
		r.Return()
	}
	start := r.copy()
	r.Run, r.Start = name, &start
}

// Return restores the position before the run.
func (r *Reader) Return() {
	if r.Start != nil {
		*r = *r.Start
	}
}

// Unread restores the position before the last call, or the run that it belongs to, if its name
// begins with prefix. It reports whether it does.
func (r *Reader) Unread(prefix string) bool {
	switch {
	case !strings.HasPrefix(r.Call, prefix) || r.Origin == nil:
		return false
	case strings.HasPrefix(r.Run, prefix):
		r.Return()
	default:
		*r = *r.Origin
	}
	return true
}

// A Reader is a position in a session's output. Its zero value is at the oldest output.
type Reader struct {
	Seen   text.Seen
	Before int64 // bytes of text that it has seen, to count what was lost

	Raw    int64  // the number of the next raw byte
	Screen uint64 // the revision of the last screen given
	Output uint64 // the revision at which it had seen all output
	Event  int64  // the number of the next event
	Notice int64  // the number of the next notice

	Title, Cwd, Foreground string // as last reported
	Prompt                 string // as last reported
	Password               bool   // the hint about secrets was given

	Observer string // the observer that owns it, see session.WithObserver; empty for none

	Call   string  // the call that moved it last, see session.WithCall
	Origin *Reader `json:",omitempty"` // the position before that call; nil if not known

	Run   string  `json:",omitempty"` // the name of the last run of calls
	Start *Reader `json:",omitempty"` // the position before that run

	Guessed uint64 `json:"-"` // the revision of the last reply if that was a guess, else 0; a restart loses it
}
