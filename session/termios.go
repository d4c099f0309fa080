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

	interrupt, quit, suspend byte // send a signal, and are not read (ISIG); 0 for none
	stop, start              byte // stop the output and let it go on, and are not read (IXON); 0 for none
}

// keeps reports whether the terminal keeps all of data for itself: nobody who
// reads it need wake.
func (t *ttyState) keeps(data []byte) bool {
	for _, b := range data {
		if b == 0 || b != t.interrupt && b != t.quit && b != t.suspend && b != t.stop && b != t.start {
			return false
		}
	}
	return len(data) > 0
}

// stops reports whether the output stands still after data, when it did or did
// not before.
func (t *ttyState) stops(data []byte, stopped bool) bool {
	for _, b := range data {
		switch {
		case b == 0:
		case b == t.stop:
			stopped = true
		case b == t.start:
			stopped = false
		}
	}
	return stopped && t.stop != 0
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
		if st.signals {
			st.interrupt, st.quit, st.suspend = tio.Cc[unix.VINTR], tio.Cc[unix.VQUIT], tio.Cc[unix.VSUSP]
		}
		if tio.Iflag&unix.IXON != 0 {
			st.stop, st.start = tio.Cc[unix.VSTOP], tio.Cc[unix.VSTART]
		}
		if g, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP); err == nil {
			st.group = g
		}
		if n, err := unix.IoctlGetInt(int(fd), pendingOutput); err == nil {
			st.pending = n
		}
	})
	return st
}
