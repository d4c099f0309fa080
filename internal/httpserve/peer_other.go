//go:build !linux

package httpserve

import (
	"net/netip"
	"os"
	"syscall"
)

// setSocket does nothing, because TCP_USER_TIMEOUT exists only on Linux.
func setSocket(_, _ string, _ syscall.RawConn) error { return nil }

// peerHolder returns this user for every connection, because an unprivileged process cannot
// find out who owns the other end of a TCP connection on this system.
func peerHolder(_, _ netip.AddrPort) (holder, error) {
	return holder{uid: uint32(os.Geteuid())}, nil
}

// checkHolder does nothing, because there is no sandbox on this system.
func checkHolder(uint64) error { return nil }

// heldWithin returns false, because this system does not report which process owns a socket.
func heldWithin(holder, []int) bool { return false }
