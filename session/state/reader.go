package state

import (
	"strings"

	"github.com/glasstty/glasstty/session/text"
)

// A Reader is a position in a session's output. Its zero value is at the oldest output.
type Reader struct {
	Seen   text.Seen
	Before int64 // bytes of text up to the end of what the reader has seen; shows how many bytes it has missed

	Raw    int64  // the number of the first byte of raw output that the reader has not got
	Screen uint64 // the revision of the last screen that the reader has got
	Output uint64 // the revision at which the reader had seen all output
	Event  int64  // the number of the first event that the reader has not got
	Notice int64  // the number of the first notice that the reader has not got

	Title, Cwd, Foreground string // as last reported to the reader
	Prompt                 string // as last reported to the reader
	Password               bool   // the reader has got the hint about secrets

	Observer string // the observer that owns the reader, see session.WithObserver; empty for none

	Call   string  // the name of the call that moved the reader last, see session.WithCall
	Origin *Reader `json:",omitempty"` // the position before that call; nil if not known

	Run   string  `json:",omitempty"` // the name of the last run: several calls that share one answer
	Start *Reader `json:",omitempty"` // the position before the run

	Guessed uint64 `json:"-"` // the screen's revision at the last reply if that was a guess, else 0; lost at a restart
}

// position returns a copy of the reader without Origin and Start.
func (r *Reader) position() *Reader {
	position := *r
	position.Origin, position.Start = nil, nil
	return &position
}

// restore moves the reader back to a position. It does nothing if position is nil.
func (r *Reader) restore(position *Reader) {
	if position != nil {
		*r = *position
	}
}

// BeginCall saves the reader's position before a call moves it.
func (r *Reader) BeginCall(call string) { r.Call, r.Origin = call, r.position() }

// RestoreRepeated restores the position before the last call if call, which begins now, repeats it.
func (r *Reader) RestoreRepeated(call string) {
	if call != "" && r.Call == call {
		r.restore(r.Origin)
	}
}

// BeginRun saves the reader's position before a run of calls. If the last run had the same name, the
// new run repeats it, and BeginRun first restores the position from before the last run.
func (r *Reader) BeginRun(name string) {
	if name != "" && r.Run == name {
		r.RestoreRun()
	}
	r.Run, r.Start = name, r.position()
}

// RestoreRun restores the position before the run.
func (r *Reader) RestoreRun() { r.restore(r.Start) }

// MarkUnread restores the position before the last call, or before the last run if its name begins with
// prefix too. It returns false, and does nothing, unless the call's name begins with prefix.
func (r *Reader) MarkUnread(prefix string) bool {
	if !strings.HasPrefix(r.Call, prefix) || r.Origin == nil {
		return false
	}
	if strings.HasPrefix(r.Run, prefix) {
		r.RestoreRun()
	} else {
		r.restore(r.Origin)
	}
	return true
}
