package kernel

import "golang.org/x/sys/unix"

// Requests to a terminal on macOS (tty(4)).
const (
	getTermios    = unix.TIOCGETA
	setTermios    = unix.TIOCSETA
	pendingOutput = 0x4004667f // FIONREAD, _IOR('f', 127, int), which package unix lacks
)

const (
	noChar      = 0xff // no character is set (termios(4), _POSIX_VDISABLE)
	toLowerCase = 0    // macOS has no IUCLC
)
