package session

import (
	"os"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/ready"
)

// frontLook is what is known of the program in front, without asking the kernel further.
type frontLook struct {
	ready.Where
	front guard.Front
}

// frontLookLocked returns it.
func (s *Session) frontLookLocked(tty kernel.TTY) frontLook {
	return frontLook{s.ready.Where(tty, s.opt.Dir), guard.Front{
		Home: homeDirOf(s.opt.Env), Main: s.opt.Command, Prompt: s.state.AtCursor(), Pipe: s.opt.Pipe,
	}}
}

// ask returns the program in front and its name, for which it may ask the kernel.
func (f frontLook) ask() (name string, p guard.Program) {
	f.front.Dir, name = f.Where.Ask()
	if f.Group > 0 {
		if dir := child.Cwd(f.Group); dir != "" {
			f.front.Dir = dir
		}
	}
	f.front.Name = name
	return name, f.front.Program()
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
