package session

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/replay"
)

// newNonce returns a text that no other Manager has.
func newNonce() string {
	b := make([]byte, 6)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return hex.EncodeToString(b)
}

// TakeOver rebuilds the sessions of children that an earlier server has started,
// and carries on with them under their ids. Used are ids that no session may have
// again. It is called once, before any Start.
// The error tells of sessions that are not as they were; they are there all the
// same.
func (m *Manager) TakeOver(found []child.Found, used []string) error {
	all, errs := make([]*Session, len(found)), make([]error, len(found))
	var rebuilding sync.WaitGroup
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, f := range found {
		rebuilding.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			all[i], errs[i] = m.rebuild(f)
		})
	}
	rebuilding.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range all {
		m.sessions = append(m.sessions, s)
		used = append(used, s.id)
	}
	for _, id := range used {
		if n, err := strconv.Atoi(strings.TrimPrefix(id, "s")); err == nil {
			m.next = max(m.next, n+1)
		}
	}
	m.notifyLocked()
	return errors.Join(errs...)
}

// startedLocked returns the session that a call has started, nil when there is
// none.
func (m *Manager) startedLocked(call string) *Session {
	for _, s := range m.sessions {
		if call != "" && s.startCall == call {
			return s
		}
	}
	return nil
}

// rebuild makes the session of a child from its log and from what was kept.
func (m *Manager) rebuild(f child.Found) (*Session, error) {
	var k kept
	err := json.Unmarshal(f.State, &k)
	o := StartOptions{
		Name: k.Name, Command: k.Command, Args: k.Args, Dir: k.Dir,
		Size: k.Size, Pipe: k.Pipe, NoMarks: k.NoMarks,
	}
	s := newSession(m, f.ID, o, k.Nonce, k.Created)
	s.child, s.startCall, s.box = f.Child, k.Call, k.Sandbox
	s.mu.Lock()
	defer s.mu.Unlock()
	replies, rerr := s.replayLocked(f)
	lost := f.Total - s.raw.total
	if lost > 0 {
		s.missLocked(lost)
	}
	s.restore(&k)
	now := time.Now()
	if s.keys.state().State != KeyboardFree {
		s.keyboardChangedLocked("") // which sets the clock for who does not come back
	}
	if len(replies) > 0 {
		s.unsent++
		s.queue.reply(replies, s.raw.total)
	}
	s.notices.add(restarted(now, lost))
	if kernel.AncestorsOnly() {
		s.notices.add("this system lets only the ancestors of a process look into it (kernel.yama.ptrace_scope), and this server is none of the program's any more: prompts and pauses decide now when an answer is whole; is_complete false says where that is a guess")
	}
	s.run()
	if err = errors.Join(err, rerr); err != nil {
		return s, fmt.Errorf("session %s: %w", f.ID, err)
	}
	return s, nil
}

// missLocked goes on behind n bytes of output that the log lacks. Nobody knows where
// they have left the cursor, nor whether a prompt stands there: what comes now begins
// a line of its own, and no sequence that was cut goes on in it (CAN, ECMA-48 8.3.6).
func (s *Session) missLocked(n int64) {
	s.raw.skipOver(n) // offsets go on all the same
	s.marks = marks{ran: -1, done: -1}
	s.echoes.pending, s.edit.set = nil, false
	_, _ = s.term.Write([]byte{0x18}) // it never fails
	if pos, ok := s.term.CursorPosition(); ok && pos.Offset > 0 {
		_, _ = s.term.Write([]byte("\r\n"))
	}
}

// restarted says that the server was restarted, and that the log lacks so many
// bytes of what the program has put out until then.
func restarted(now time.Time, lost int64) string {
	at := now.Format(time.TimeOnly)
	if lost == 0 {
		return fmt.Sprintf("the server was restarted at %s; the program went on and nothing was lost; a reply that was cut off can be read again: read_output tail=20", at)
	}
	return fmt.Sprintf("the server was restarted at %s; the program went on, but the log could not take the last %d bytes of its output, and screen and history lack them: have the program draw its screen again (ctrl+l); what it puts out from now on is there", at, lost)
}

// replayLocked takes the child's log through the session's terminal up to where
// its stream begins. It returns the terminal's replies that were not given.
func (s *Session) replayLocked(f child.Found) (replies []byte, err error) {
	o := s.m.opt.Terminal
	o.Size = s.opt.Size
	s.term = emulator.New(o)
	l, err := openLog(f.Child)
	if err != nil {
		return nil, err
	}
	p := player{s: s, f: f, l: l, opt: o}
	from, events := l.First(), l.Events(l.First())
	if c := s.checkpointOf(l, f, o); c != nil {
		p.skip, p.inputs = true, s.inputs
		from, events = c.Offset, l.From(c.Offset, c.At)
	} else {
		s.beginAtLocked(l, 0, o)
	}
	p.past(from)
	began := s.raw.total
	for e, err := range events {
		if err != nil {
			return p.replies, err
		}
		p.enter(e.Offset)
		p.play(&e)
	}
	p.enter(f.Logged)
	s.size = s.term.Size()
	s.saves.logged = f.Logged
	s.dueLocked(int(s.raw.total - began))
	return p.replies, nil
}

// openLog opens a child's log.
func openLog(c child.Child) (*eventlog.Log, error) {
	store := c.Log()
	if store == nil {
		return nil, eventlog.ErrNoLog
	}
	return eventlog.Open(store)
}

// beginAtLocked makes the terminal at the beginning of a segment. A state that
// another version has written cannot be read: what was on the screen then is
// missing from it, as from the log.
func (s *Session) beginAtLocked(l *eventlog.Log, segment int, o emulator.Options) {
	seg := l.Segments[segment]
	s.raw.skipOver(seg.Output - s.raw.total)
	if seg.State {
		if state, err := l.State(segment); err == nil {
			if term, err := emulator.Restore(state, o); err == nil {
				s.term = term
				return
			}
		}
	}
	if size := (emulator.Size{Rows: seg.Rows, Cols: seg.Cols}); segment == 0 {
		o.Size = size
		s.term = emulator.New(o)
	} else {
		s.term.Resize(size)
	}
}

// A player takes events of a log through a session.
type player struct {
	s       *Session
	f       child.Found
	l       *eventlog.Log
	opt     emulator.Options
	next    int     // the segment that is entered next
	call    *typing // whose input comes
	size    int     // bytes of it
	note    eventlog.InputNote
	replies []byte // not given

	inputs int64 // calls that a checkpoint knows
	skip   bool  // it knows what comes now
}

// past says that the events from an offset on come next.
func (p *player) past(offset int64) {
	for p.next < len(p.l.Segments) && p.l.Segments[p.next].Offset <= offset {
		p.next++
	}
}

// enter begins the segments up to an offset. Of what was lost before one, because
// the disk was full, only the state that was saved there knows.
func (p *player) enter(offset int64) {
	for ; p.next < len(p.l.Segments) && p.l.Segments[p.next].Offset <= offset; p.next++ {
		if seg := p.l.Segments[p.next]; seg.Lost > 0 && seg.Offset < p.f.Logged {
			p.s.beginAtLocked(p.l, p.next, p.opt)
		}
	}
}

// play takes one event. Output from where the stream begins comes by the stream,
// input by an earlier server does not.
func (p *player) play(e *eventlog.Event) {
	s := p.s
	at := s.created.Add(e.At)
	switch e.Kind {
	case eventlog.Output:
		if e.Offset >= p.f.Logged {
			return
		}
		replies := s.takeLocked(at, e.Data)
		s.unsent = 0
		if s.raw.total > p.f.Replies {
			p.replies = append(p.replies, replies...)
		}
	case eventlog.Resize:
		if e.Offset < p.f.Logged {
			s.term.Resize(emulator.Size{Rows: e.Rows, Cols: e.Cols})
		}
	case eventlog.Note:
		p.noted(e, at)
	case eventlog.Input:
		p.typed(e.Data, at)
	}
}

// noted takes a note.
func (p *player) noted(e *eventlog.Event, at time.Time) {
	if e.Name == replay.NoteMessage {
		var m replay.MessageNote
		if json.Unmarshal(e.Data, &m) == nil {
			p.s.heardLocked(messageOf(m))
		}
		return
	}
	if e.Name != eventlog.NoteInput {
		return
	}
	p.note, p.call, p.size = eventlog.InputNote{}, nil, 0
	err := json.Unmarshal(e.Data, &p.note)
	if p.skip = p.note.Number <= p.inputs; p.skip {
		return
	}
	p.s.inputs = max(p.s.inputs, p.note.Number)
	if err == nil && p.note.Secret {
		p.begin(nil, at)
		p.end(p.note.Size, at)
	}
}

// typed takes a piece of what a call typed.
func (p *player) typed(data []byte, at time.Time) {
	if p.skip {
		return
	}
	if p.call == nil {
		p.begin(data, at)
	}
	p.call.data = append(p.call.data, data...)
	p.size += len(data)
	p.end(len(data), at)
}

// begin does what beforeWrite did when the call's first piece went out.
func (p *player) begin(data []byte, at time.Time) {
	s := p.s
	call := &typing{number: p.note.Call, secret: p.note.Secret, started: true}
	if p.note.By != "" {
		call.by = &Person{Name: p.note.By}
	}
	p.call = call
	call.at, call.onText = s.term.CursorPosition()
	call.offset, call.revision = s.raw.total, s.term.Revision()
	call.running = s.marks.running
	if len(data) > 0 {
		call.edited = bytes.ContainsRune(data, 0x1b)
		call.data = bytes.Clone(data)
		call.note(string(data))
		call.data = call.data[:0]
	}
	s.marks.typed(data, call.at, call.onText)
	s.echoes.typed(call, s.promptStartLocked(), p.note.Echo)
	s.edit.set = false
	s.pace.Input(at)
}

// end does what afterWrite did when a piece of n bytes was written.
func (p *player) end(n int, at time.Time) {
	s, call := p.s, p.call
	s.bytesIn += int64(n)
	s.activity = at
	call.finished = p.size >= p.note.Size || call.secret
	if n := len(call.data); n > 0 {
		last := call.data[n-1]
		call.submitted = last < ' ' && last != '\t' && last != '\x1b'
	}
	s.last = typed{by: true, person: call.person(), at: at, pos: call.at, onText: call.onText, offset: call.offset, submitted: call.submitted, running: call.running}
	if call.finished {
		s.rememberLocked(call)
	}
}

// maxRebuilt is how many of the latest calls are known after a restart, so that
// they can be made again.
const maxRebuilt = 64

// rememberLocked remembers what a call has typed, should it be made again.
func (s *Session) rememberLocked(call *typing) {
	c := *call
	c.data = nil
	c.lines = c.lines[:min(len(c.lines), 1)]
	if len(c.lines) > 0 {
		c.lines = []string{""} // that there was text is all that matters
	}
	s.rebuilt = append(s.rebuilt, &c)
	s.rebuilt = s.rebuilt[max(0, len(s.rebuilt)-maxRebuilt):]
}

// typedBefore returns what a call of this name has typed already, nil when it has
// not, or not all.
func (s *Session) typedBefore(name string) *typing {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, call := range s.rebuilt {
		if call.number == name {
			return call
		}
	}
	return nil
}
