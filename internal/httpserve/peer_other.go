//go:build !linux

package httpserve

import (
	"net/netip"
	"os"
	"syscall"
)

// setUserTimeout does nothing, because TCP_USER_TIMEOUT exists only on Linux.
func setUserTimeout(_, _ string, _ syscall.RawConn) error { return nil }

// lookupPeer returns this user for every connection, because an unprivileged process cannot
// find out who owns the other end of a TCP connection on this system.
func lookupPeer(_, _ netip.AddrPort) (peer, error) {
	return peer{uid: uint32(os.Geteuid())}, nil
}

// checkNotSandboxed does nothing, because there is no sandbox on this system.
func checkNotSandboxed(uint64) error { return nil }

// isOneOf returns false, because this system does not report which process owns a socket.
func isOneOf(peer, []int) bool { return false }
