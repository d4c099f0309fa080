package session

import (
	"cmp"
	"context"
	"os"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/input"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/queue"
)

// guarded holds the line that is being typed, and the held inputs. The session's mutex
// guards it.
type guarded struct {
	queue.Line
	guard.Pending
	changes uint64 // of Pending
}

// now returns a copy of the line.
func (g *guarded) now() queue.Line {
	return queue.Line{Editing: g.Editing.Clone(), Draft: g.Draft}
}

// follow updates the line for keys that are not judged. It does not remember the text of a
// hidden input.
func (g *guarded) follow(who control.Author, keys guard.Strokes, hidden bool) {
	after := g.Editing.After(keys)
	if hidden {
		after.Text, after.Cursor = nil, 0
		after.Sure, after.Read = !after.Open, after.Open // a command line may be there when the question is over
	}
	g.Editing.Line = after
	g.Editing.Version++
	g.Draft.Type(who, after.Open, hidden)
}

// decided updates the line for an input that may be typed.
func (g *guarded) decided(who control.Author, d *guard.Decision) {
	g.Editing.Line, g.Editing.Past = d.Line, d.Past
	g.Editing.Version++
	g.Draft.Type(who, d.Line.Open, false)
}

// takeBack restores the line before an input that was not typed. If a part was typed, the
// line must be read from the screen.
func (g *guarded) takeBack(before queue.Line, partly bool) {
	before.Editing.Version = g.Editing.Version + 1
	if g.Line = before; partly {
		g.Editing.Line = guard.Line{Open: true, Read: true}
	}
}

// A guardLook contains what the judgement of an input depends on, with a version.
type guardLook struct {
	guard.Look
	keys uint64 // changes of who has the keyboard
}

// lookGuard returns a guardLook. It asks the kernel without the lock.
func (s *Session) lookGuard() guardLook {
	tty := s.ready.LookTTY()
	s.mu.Lock()
	s.guard.Editing.Begin(s.state, s.ready.Stopped())
	line := s.guard.Editing.Clone()
	l := guardLook{guard.Look{
		Line: line.Line, Past: line.Past, Version: line.Version, Refused: s.guard.Refused,
		Altered: tty.Line.Alters, Modes: s.inputModesLocked(tty),
	}, s.keys.Changes()}
	where := s.ready.Where(tty, s.opt.Dir)
	front := guard.Front{Home: homeDirOf(s.opt.Env), Main: s.opt.Command, Prompt: s.state.AtCursor(), Pipe: s.opt.Pipe}
	s.mu.Unlock()
	front.Dir, front.Name = where.Ask()
	if where.Group > 0 {
		front.Dir = cmp.Or(child.Cwd(where.Group), front.Dir)
		front.Piped = func() []string { return child.Piped(where.Group) }
	}
	l.Front, l.Program = front.Name, front.Program()
	return l
}

// homeDirOf returns the home directory of a child.
func homeDirOf(env map[string]string) string {
	if home, ok := env["HOME"]; ok {
		return home
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// inputModesLocked returns the modes that the meaning of keys depends on.
func (s *Session) inputModesLocked(tty kernel.TTY) input.Modes {
	return input.ModesFor(s.state.Term.Modes(), tty)
}

// Seen notes that the client whose call ctx belongs to has seen the screen.
func (s *Session) Seen(ctx context.Context) {
	who := clientOf(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guard.Draft.Others(who) {
		s.guard.Draft.See(who)
		s.keepLocked()
	}
}
