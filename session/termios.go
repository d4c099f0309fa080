//go:build linux || darwin

package session

import (
	"os"

	"golang.org/x/sys/unix"
)

// A ttyState is what the kernel says about a terminal through its master side.
type ttyState struct {
	known     bool
	canonical bool // ICANON: the kernel hands out whole lines
	echo      bool // ECHO
	signals   bool // ISIG
	group     int  // the foreground process group, 0 when there is none
	pending   int  // bytes written by the child and not read by us yet
}

// lookTTY asks the kernel about the terminal whose master is pty. It costs
// about a microsecond and does not block.
func lookTTY(pty *os.File) ttyState {
	conn, err := pty.SyscallConn()
	if err != nil {
		return ttyState{}
	}
	var st ttyState
	// Control, not Fd: Fd would make the descriptor blocking.
	_ = conn.Control(func(fd uintptr) {
		tio, err := unix.IoctlGetTermios(int(fd), getTermios)
		if err != nil {
			return
		}
		st.known = true
		st.canonical = tio.Lflag&unix.ICANON != 0
		st.echo = tio.Lflag&unix.ECHO != 0
		st.signals = tio.Lflag&unix.ISIG != 0
		if g, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP); err == nil {
			st.group = g
		}
		if n, err := unix.IoctlGetInt(int(fd), pendingOutput); err == nil {
			st.pending = n
		}
	})
	return st
}
