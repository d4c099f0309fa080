package session

import "golang.org/x/sys/unix"

// The requests of lookTTY on Linux (ioctl_tty(2)).
const (
	getTermios    = unix.TCGETS
	pendingOutput = unix.TIOCINQ
)
