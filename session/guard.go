package session

import (
	"cmp"
	"context"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/command"
	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/input"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/queue"
)

// guarded contains what the danger check needs to remember: the line that is being typed, and the inputs
// that wait for confirmation. The session's mutex guards it.
type guarded struct {
	queue.Line
	guard.Pending
	changes uint64 // counts changes of Pending
}

func (g *guarded) currentLine() queue.Line {
	return queue.Line{Editing: g.Editing.Clone(), Draft: g.Draft}
}

// followKeys updates the line for keys that are not judged. If the input is hidden (a secret), it does not
// remember the typed text.
func (g *guarded) followKeys(who control.Author, keys guard.Keystrokes, hidden bool) {
	after := g.Editing.After(keys)
	if hidden {
		after.Text, after.Cursor = nil, 0
		after.Known, after.Readable = !after.Open, after.Open // what follows may be a command line
	}
	g.Editing.Line = after
	g.Editing.Version++
	g.Draft.SetTyped(who, after.Open, hidden)
}

// applyDecision updates the line for an input that may be typed, up to d.Cut.
func (g *guarded) applyDecision(who control.Author, d *guard.Decision) {
	g.Editing.Line, g.Editing.Past = d.Line, d.Past
	g.Editing.Version++
	g.Draft.SetTyped(who, d.Line.Open, false)
}

// restoreLine restores the line as it was before an input that was not typed. If a part of the input was
// typed, the line must be read from the screen.
func (g *guarded) restoreLine(before queue.Line, partly bool) {
	before.Editing.Version = g.Editing.Version + 1
	if g.Line = before; partly {
		g.Editing.Line = guard.Line{Open: true, Readable: true}
	}
}

// A guardView contains everything that the judgement of an input depends on.
type guardView struct {
	guard.View
	keyboardChanges uint64 // the keyboard's Changes
}

// guardView calls Editing.Begin, which updates the line, and returns a guardView of the session. It asks the
// kernel about processes without the lock.
func (s *Session) guardView() guardView {
	tty := s.ready.LookTTY()
	s.mu.Lock()
	where := s.ready.Where(tty, s.opt.Dir)
	s.guard.Editing.SetForeground(tty.Group)
	s.guard.Editing.Begin(s.state, s.ready.OutputStopped())
	line := s.guard.Editing.Clone()
	l := guardView{guard.View{
		Line: line.Line, Past: line.Past, Version: line.Version, Refused: s.guard.Refused,
		Altered: tty.Line.Alters, Modes: s.inputModesLocked(tty),
	}, s.keyboard.Changes()}
	program := guard.Foreground{Home: command.Home(s.opt.Env), Main: s.opt.Command, Prompt: s.state.AtCursor(), Pipe: s.opt.Pipe, Marked: s.state.Marks.Prompted,
		Cursor: s.state.Term.Cursor().Visible && !s.state.Term.FullScreen()}
	s.mu.Unlock()
	program.Dir, program.Name = where()
	if tty.Group > 0 {
		program.Dir = cmp.Or(child.Cwd(tty.Group), program.Dir)
		program.Piped = func() []string { return child.PipeReaders(tty.Group) }
	}
	l.Foreground, l.Program = program.Name, program.Program()
	if tty.Group != s.child.PID() {
		l.SessionShell = program.SessionShell()
	}
	return l
}

// inputModesLocked returns the modes on which the meaning of keys depends.
func (s *Session) inputModesLocked(tty kernel.TTY) input.Modes {
	return input.ModesFor(s.state.Term.Modes(), tty)
}

// MarkSeen records that the client of the call in ctx has seen the screen.
func (s *Session) MarkSeen(ctx context.Context) {
	who := callerOf(ctx).client
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guard.Draft.UnseenBy(who) {
		s.guard.Draft.MarkSeen(who)
		s.keepLocked()
	}
}
