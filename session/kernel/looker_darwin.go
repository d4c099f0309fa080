package kernel

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// fionread is FIONREAD of sys/filio.h.
const fionread = 0x4004667f

// A Looker takes looks at one terminal. It is not safe for concurrent use. On this system only the terminal itself can be asked, not
// what its processes wait for.
type Looker struct{ master syscall.RawConn }

// NewLooker returns a Looker for the terminal with this master, whose session
// was started as process child. It uses SyscallConn, which leaves the
// descriptor's blocking mode alone. The error is that of a closed master.
func NewLooker(master syscall.Conn, child int) (*Looker, error) {
	raw, err := master.SyscallConn()
	if err != nil {
		return nil, err
	}
	return &Looker{master: raw}, nil
}

// NewPipeLooker fails: on this system nobody tells what a process reads.
func NewPipeLooker(int) (*Looker, error) { return nil, errors.ErrUnsupported }

// Modes returns the class of the terminal's settings and its foreground process
// group, 0 when there is none.
func (l *Looker) Modes() (Modes, int) {
	var m Modes
	pgid := 0
	err := l.master.Control(func(fd uintptr) {
		if t, err := unix.IoctlGetTermios(int(fd), getTermios); err == nil {
			m = Modes{Known: true, Canonical: t.Lflag&unix.ICANON != 0, Echo: t.Lflag&unix.ECHO != 0}
		}
		if g, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP); err == nil {
			pgid = g
		}
	})
	if err != nil {
		return Modes{}, 0
	}
	return m, pgid
}

// Look returns the settings, the foreground group and whether output is left.
func (l *Looker) Look() View {
	v := View{}
	v.Modes, v.Foreground.PGID = l.Modes()
	err := l.master.Control(func(fd uintptr) {
		n, err := unix.IoctlGetInt(int(fd), fionread)
		v.Drained = err == nil && n == 0
	})
	v.Drained = v.Drained && err == nil
	return v
}

// Close does nothing: nothing is kept open here.
func (l *Looker) Close() {}
