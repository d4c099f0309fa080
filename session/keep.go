package session

import (
	"encoding/json"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/ready"
	"github.com/glasstty/glasstty/session/state"
)

// A kept is what the next server needs to carry on with a session, besides the session's
// log. The owner of the child keeps it.
type kept struct {
	Version int // see keptVersion
	StartOptions
	Nonce   string
	Created time.Time
	Call    string // that started it
	Sandbox *sandbox.State
	Notes   []string

	Readers    map[int]*state.Reader
	NextReader int
	Prompts    detect.Prompts
	Learned    ready.Learned
	Reason     detect.Reason
	Answered   bool
	Keyboard   Keyboard
	Used       time.Time // last, by anybody
	Ended      string    // why the server has ended it
	Gap        bool      // see Session
	Draft      control.Draft
	Line       guard.Editing
	guard.Pending
	Notices state.Numbered[string]
	Damage  eventlog.Damage
}

// keptVersion is the version of what is kept: every change of it, or of the types in it,
// adds one. Of what a server of another version has kept, only what tells which program
// runs is taken over, the fields up to Notes.
const keptVersion = 4

// keptLocked returns what is kept of the session now.
func (s *Session) keptLocked() kept {
	k := kept{
		Version: keptVersion, StartOptions: s.opt,
		Nonce: s.state.Nonce, Created: s.created, Call: s.startCall, Notes: s.readers.first, Sandbox: s.box,
		Readers: s.readers.all, NextReader: s.readers.last,
		Prompts: s.state.Prompts, Learned: s.ready.Learned,
		Reason: s.state.Reason, Answered: s.ready.Answered, Keyboard: s.keys.Holding(), Draft: s.guard.Draft,
		Used: s.life.Used, Ended: s.end.why,
		Gap: s.log.gap, Line: s.guard.Editing, Pending: s.guard.Pending.Kept(), Damage: s.log.damage,
	}
	k.Notices.Kept, _ = s.readers.notices.Since(s.readers.notices.End() - maxKeptNotices)
	k.Notices.First = s.readers.notices.End() - int64(len(k.Notices.Kept))
	return k
}

// maxKeptNotices is how many of the latest notices outlive a server.
const maxKeptNotices = 32

// keepLocked has the owner of the child keep what the next server needs, where
// there can be one. It is on its way before the reply that it belongs to.
func (s *Session) keepLocked() {
	if !s.m.opt.Outlive || s.end.left {
		return
	}
	s.life.kept = s.life.Used
	if data, err := json.Marshal(s.keptLocked()); err == nil { // plain values: always
		s.child.Keep(data)
	}
}

// restore puts what was kept into a session that is rebuilt. The log has been
// replayed by then.
func (s *Session) restore(k *kept) {
	s.readers.first = k.Notes
	if k.Version != keptVersion {
		return
	}
	s.log.gap = s.log.gap || k.Gap
	s.readers.last = k.NextReader
	for id, r := range k.Readers {
		s.readers.all[id] = r
		if s.log.gap {
			s.state.ForgetGap(r)
		}
	}
	s.state.Prompts = k.Prompts
	s.ready.Learned = k.Learned
	s.state.Reason, s.ready.Answered = k.Reason, k.Answered
	s.life.Used, s.life.kept = k.Used, k.Used
	s.end.why = k.Ended
	s.log.damaged(k.Damage)
	s.guard.Draft = k.Draft
	s.guard.Editing, s.guard.Pending = k.Line.Restored(), k.Pending.Restored()
	s.readers.notices = k.Notices
	s.keys.Restore(k.Keyboard, time.Now())
}
