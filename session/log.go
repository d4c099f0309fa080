package session

import (
	"fmt"
	"sync"
	"time"

	"github.com/glasstty/glasstty/session/eventlog"
)

// A sessionLog is a session's state about its log. The session's mutex guards it, except
// for states and meta.
type sessionLog struct {
	err    error               // why the log is kept in memory
	forget func() error        // removes the log of a deleted session; nil: there is none
	damage eventlog.Damage     // of the part of the log that was read
	gap    bool                // output is missing that the log could not take, in this server or an earlier one
	saves  checkpoints         // of the session's state
	states eventlog.StateSaver // of the terminal, where segments begin
	meta   sync.Mutex          // held while metadata are written
}

// damaged notes how much of the log could not be read, if that is more than was known.
func (l *sessionLog) damaged(d eventlog.Damage) {
	l.damage.Records = max(l.damage.Records, d.Records)
	l.damage.Bytes = max(l.damage.Bytes, d.Bytes)
}

// note says what is wrong with the log of a session that began at a time, "" for nothing.
func (l *sessionLog) note(st eventlog.Status, began time.Time) string {
	if l.err != nil {
		return fmt.Sprintf("the session's log is kept in memory only (%v): it will not outlive this server", l.err)
	}
	if st.Err == nil {
		return l.damage.String()
	}
	ago := time.Since(began.Add(st.Since)).Round(time.Second)
	return fmt.Sprintf("the session's log has stopped %s ago (%v): what happens since then is missing from its recording and history; the session goes on, and writing is tried again every %s",
		ago, st.Err, eventlog.RetryDelay)
}

// remove deletes the log, if there is one.
func (l *sessionLog) remove() error {
	if l.forget == nil {
		return nil
	}
	return l.forget()
}
