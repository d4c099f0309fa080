//go:build !linux

package httpserve

import (
	"net/netip"
	"os"
	"syscall"
)

// setSocket does nothing: this system has only keep-alive probes.
func setSocket(_, _ string, _ syscall.RawConn) error { return nil }

// peerHolder returns this user for every connection: this system tells an unprivileged
// process nothing about the other end of a TCP connection.
func peerHolder(_, _ netip.AddrPort) (holder, error) {
	return holder{uid: uint32(os.Geteuid())}, nil
}

// checkHolder does nothing: this system has no sandbox.
func checkHolder(uint64) error { return nil }

// heldWithin returns false: this system does not say which process owns a socket.
func heldWithin(holder, []int) bool { return false }
