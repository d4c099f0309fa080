package session

import "golang.org/x/sys/unix"

// The requests of lookTTY on macOS (tty(4)). FIONREAD is not in x/sys: its
// value is _IOR('f', 127, int).
const (
	getTermios    = unix.TIOCGETA
	pendingOutput = 0x4004667f
)
