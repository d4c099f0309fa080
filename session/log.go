package session

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glasstty/glasstty/session/eventlog"
)

// A sessionLog records problems of a session's log, and saves states next to it. The session's mutex
// guards all fields but states.
type sessionLog struct {
	err    error           // why the log is kept in memory, or nil
	damage eventlog.Damage // how much could not be read in the parts of the log that were read
	gap    bool            // output is missing because this or an earlier server could not log it
	states stateSaver
}

// A stateSaver saves a session's states at the beginnings of segments, one at a time. Its zero
// value is ready to use. It is safe for concurrent use.
type stateSaver struct {
	writing sync.Mutex             // held while a state is written
	latest  atomic.Pointer[func()] // writes the latest state; nil if no state waits to be written
}

// save has write called later: by a function that it passes to background, or by wait. If an earlier state
// has not been written yet, save drops that state; replays that need it begin further back.
func (v *stateSaver) save(background func(func()), write func()) {
	if v.latest.Swap(&write) == nil {
		background(v.wait)
	}
}

// wait writes the latest state if it has not been written, and returns when no state is being written.
func (v *stateSaver) wait() {
	v.writing.Lock()
	defer v.writing.Unlock()
	if write := v.latest.Swap(nil); write != nil {
		(*write)()
	}
}

// recordDamage records how much of the log could not be read. Of the old and the new numbers, it keeps the
// larger ones, because the same damage is found each time the log is read.
func (l *sessionLog) recordDamage(d eventlog.Damage) {
	l.damage.Records = max(l.damage.Records, d.Records)
	l.damage.Bytes = max(l.damage.Bytes, d.Bytes)
}

// note returns a note about a problem with the log of a session that began at start, or "".
func (l *sessionLog) note(st eventlog.Status, start time.Time) string {
	if l.err != nil {
		return fmt.Sprintf("the session's log is kept in memory only (%v): it will not outlive this server", l.err)
	}
	if st.Error == "" {
		return l.damage.String()
	}
	ago := time.Since(start.Add(st.Since)).Round(time.Second)
	return fmt.Sprintf("the session's log stopped %s ago (%v): later output is missing from the recording and the history; the session goes on, and writing is retried every %s",
		ago, st.Error, eventlog.RetryDelay)
}
