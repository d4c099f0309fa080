package kernel

import "golang.org/x/sys/unix"

// Requests to a terminal on Linux (ioctl_tty(2)).
const (
	getTermios    = unix.TCGETS
	setTermios    = unix.TCSETS
	pendingOutput = unix.TIOCINQ
)

const (
	noChar      = 0          // no character is set (termios(3), _POSIX_VDISABLE)
	toLowerCase = unix.IUCLC // turns upper case into lower case
)
