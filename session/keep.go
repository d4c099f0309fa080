package session

import (
	"encoding/json"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/session/kernel"
)

// A kept is what a session's log does not tell, and the next server needs to
// carry on. The owner of the child keeps it.
type kept struct {
	Name    string
	Command string
	Args    []string
	Dir     string
	Size    emulator.Size
	Pipe    bool
	NoMarks bool
	Nonce   string
	Created time.Time
	Call    string // that started it
	Sandbox *sandbox.State
	Notes   []string

	Readers    map[int]keptReader
	NextReader int
	Prompts    []detect.LearnedPrompt
	Front      keptFront
	Fronts     []int
	Waiters    []int
	Waits      []kernel.Fingerprint
	Reason     detect.Reason
	Answered   bool
	Keyboard   Keyboard
	Used       time.Time // last, by anybody
	Ended      string    // why the server has ended it
	Line       keptLine
	Held       []keptHeld
	Told       int64 // number of the first of Notices
	Notices    []string
}

// A keptReader is a reader's position.
type keptReader struct {
	Line   int64
	Given  string
	Begun  int
	Before int64
	Raw    int64
	Screen uint64
	Event  int64
	Notice int64

	Title, Cwd, Foreground, Prompt string

	Looker string
	Call   string
	Origin *keptReader
}

// A keptFront is a front.
type keptFront struct {
	Group           int
	Canonical, Echo bool
}

// keep returns r as it is kept.
func (r *reader) keep() keptReader {
	k := keptReader{
		Line: r.line, Given: r.given, Begun: r.begun, Before: r.before, Raw: r.raw, Screen: r.screen,
		Event: r.event, Notice: r.notice,
		Title: r.title, Cwd: r.cwd, Foreground: r.foreground, Prompt: r.prompt,
		Call: r.call, Looker: r.looker,
	}
	if r.origin != nil {
		o := r.origin.keep()
		k.Origin = &o
	}
	return k
}

// reader returns the reader that was kept.
func (k *keptReader) reader() *reader {
	r := &reader{
		line: k.Line, given: k.Given, begun: k.Begun, before: k.Before, raw: k.Raw, screen: k.Screen,
		event: k.Event, notice: k.Notice,
		title: k.Title, cwd: k.Cwd, foreground: k.Foreground, prompt: k.Prompt,
		call: k.Call, looker: k.Looker,
	}
	if k.Origin != nil {
		r.origin = k.Origin.reader()
	}
	return r
}

// keptLocked returns what is kept of the session now.
func (s *Session) keptLocked() kept {
	k := kept{
		Name: s.opt.Name, Command: s.opt.Command, Args: s.opt.Args, Dir: s.opt.Dir,
		Size: s.opt.Size, Pipe: s.opt.Pipe, NoMarks: s.opt.NoMarks,
		Nonce: s.nonce, Created: s.created, Call: s.startCall, Notes: s.notes, Sandbox: s.box,
		Readers: map[int]keptReader{}, NextReader: s.nextReader,
		Prompts: s.prompts.Learned(), Front: keptFront{s.front.group, s.front.canonical, s.front.echo},
		Fronts: s.fronts, Waiters: s.waiters, Waits: s.waits,
		Reason: s.lastReason, Answered: s.answered, Keyboard: s.keys.now,
		Used: s.life.used, Ended: s.life.ended,
		Line: s.line.keep(), Held: keepHeld(s.held),
	}
	k.Notices, _ = s.notices.since(s.notices.end() - maxKeptNotices)
	k.Told = s.notices.end() - int64(len(k.Notices))
	for id, r := range s.readers {
		k.Readers[id] = r.keep()
	}
	return k
}

// maxKeptNotices is how many of the latest notices outlive a server.
const maxKeptNotices = 32

// keepLocked has the owner of the child keep what the next server needs, where
// there can be one. It is on its way before the reply that it belongs to.
func (s *Session) keepLocked() {
	if !s.m.opt.Outlive || s.left {
		return
	}
	s.life.kept = s.life.used
	if data, err := json.Marshal(s.keptLocked()); err == nil { // plain values: always
		s.child.Keep(data)
	}
}

// restore puts what was kept into a session that is rebuilt. The log has been
// replayed by then.
func (s *Session) restore(k *kept) {
	s.notes = k.Notes
	s.nextReader = k.NextReader
	for id, r := range k.Readers {
		s.readers[id] = r.reader()
		s.withinLocked(s.readers[id])
	}
	s.prompts.Restore(k.Prompts)
	s.front = front{k.Front.Group, k.Front.Canonical, k.Front.Echo}
	s.fronts, s.waiters, s.waits = k.Fronts, k.Waiters, k.Waits
	s.lastReason, s.answered = k.Reason, k.Answered
	if !k.Used.IsZero() { // else a server kept it that did not count it
		s.life.used, s.life.kept = k.Used, k.Used
	}
	s.life.ended = k.Ended
	s.line = k.Line.line()
	s.held = heldInputs(k.Held)
	s.notices = numbered[string]{first: k.Told, kept: k.Notices}
	s.keys.restore(k.Keyboard, time.Now())
}

// withinLocked puts a reader that stands behind the end, as far as the log knows
// what was put out, at the end: it is to be given what comes now.
func (s *Session) withinLocked(r *reader) {
	if r == nil {
		return
	}
	if r.line >= s.term.EndLine() {
		s.moveToEndLocked(r)
	}
	r.screen, r.event = min(r.screen, s.term.Revision()), min(r.event, s.events.end())
	s.withinLocked(r.origin)
}
