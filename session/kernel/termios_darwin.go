package kernel

import "golang.org/x/sys/unix"

// The requests of LookTTY on macOS (tty(4)). FIONREAD is not in x/sys: its
// value is _IOR('f', 127, int).
const (
	getTermios    = unix.TIOCGETA
	pendingOutput = 0x4004667f
)

const (
	noChar      = 0xff // no character is set (termios(4), _POSIX_VDISABLE)
	toLowerCase = 0    // macOS has no IUCLC
)
