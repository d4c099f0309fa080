package httpserve

import (
	"errors"
	"fmt"
	"net"

	"github.com/glasstty/glasstty/internal/owned"
)

// A peer is the owner of the socket at the other end of a connection.
type peer struct {
	uid   uint32 // the user who owns the socket
	inode uint64 // of the socket; 0 if the socket is closed, or on systems other than Linux
}

// peerWithin reports whether the other end of a connection is, or may be, one of the processes
// that pids returns. A nil pids means no processes.
func peerWithin(conn net.Conn, pids func() []int) bool {
	if pids == nil {
		return false
	}
	p, err := peerOf(conn)
	if errors.Is(err, errNotLocal) {
		return false // the peer is on another machine
	}
	return err != nil || isOneOf(p, pids())
}

// peerOf asks the kernel for the owner of the other end of a connection.
func peerOf(conn net.Conn) (peer, error) {
	return lookupPeer(conn.LocalAddr().(*net.TCPAddr).AddrPort(), conn.RemoteAddr().(*net.TCPAddr).AddrPort())
}

// checkUser returns why the other end of a connection needs a token, or nil if it is a process of this
// user or of root, outside all sandboxes. p and err are the results of peerOf.
func checkUser(p peer, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("%w: without a token only this user's programs are served; start the server with one", err)
	case !owned.Trusted(p.uid):
		return fmt.Errorf("%w (uid %d); start the server with a token", errOtherUser, p.uid)
	}
	return checkNotSandboxed(p.inode)
}
