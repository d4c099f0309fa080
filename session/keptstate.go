package session

import (
	"encoding/json"
	"time"

	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/queue"
	"github.com/glasstty/glasstty/session/ready"
)

// A keptState is the state that the next server needs, in addition to the log, to continue a
// session. The owner of the child keeps it.
type keptState struct {
	Version int // see keptVersion
	StartOptions
	Nonce   string
	Created time.Time
	Call    string // the name of the call that started the session, or ""
	Sandbox *sandbox.State

	Readers  readerSet
	Learned  ready.Learned
	Answered bool // the last question for a secret was answered, see ready.Watch
	Keyboard Holding
	Used     time.Time // the time of the last use
	Ended    string    // why the server ended the session, or which person did; or ""
	Gap      bool      // output is missing from the log, see sessionLog
	Line     queue.Line
	guard.Pending
	Damage eventlog.Damage
}

// keptVersion is the version of keptState. Increase it with every change to keptState or to the types in
// it. From a state of another version, only the fields up to Sandbox are used: they describe the program.
const keptVersion = 9

func (s *Session) keptLocked() keptState {
	return keptState{
		Version: keptVersion, StartOptions: s.opt,
		Nonce: s.state.Nonce, Created: s.created, Call: s.startCall, Sandbox: s.box,
		Readers: s.readers, Learned: s.ready.Learned,
		Answered: s.ready.Answered, Keyboard: s.keyboard.Holding(),
		Used: s.life.Used, Ended: s.end.why,
		Gap: s.log.gap, Line: s.guard.Line, Pending: s.guard.Pending.Persistent(), Damage: s.log.damage,
	}
}

// keepLocked sends the state for the next server to the owner of the child, if the child outlives this
// server. A call that changes the state must call keepLocked before the call returns its reply.
func (s *Session) keepLocked() {
	if !s.m.opt.Outlive || s.end.left {
		return
	}
	s.life.kept = s.life.Used
	if data, err := json.Marshal(s.keptLocked()); err == nil { // plain values can always be encoded
		s.child.Keep(data)
	}
}

// restore applies the kept state to a session that is being rebuilt, after the session's log was applied. It
// does nothing with a state of another version.
func (s *Session) restore(k *keptState) {
	if k.Version != keptVersion {
		return
	}
	s.log.gap = s.log.gap || k.Gap
	s.readers = k.Readers
	for _, r := range s.readers.All {
		if s.log.gap {
			s.state.ForgetGap(r)
		}
	}
	s.ready.Learned = k.Learned
	s.ready.Answered = k.Answered
	s.life.Used, s.life.kept = k.Used, k.Used
	s.end.why = k.Ended
	s.log.recordDamage(k.Damage)
	s.guard.Line, s.guard.Pending = k.Line, k.Pending
	s.guard.Editing = k.Line.Editing.Restored()
	s.keyboard.Restore(k.Keyboard, time.Now())
}
