package localsock

import (
	"fmt"
	"net"

	"github.com/glasstty/glasstty/internal/owned"
	"github.com/glasstty/glasstty/internal/sandbox"
)

// A peer describes the process at the other end of a connection, as it was when it connected or
// started to listen.
type peer struct {
	uid uint32
	pid int // 0 if not known
}

// checkPeer returns ErrForeign if the other side's user is not trusted.
func checkPeer(conn *net.UnixConn) error {
	p, err := peerOf(conn)
	if err != nil {
		return fmt.Errorf("ask for the other side's user: %w", err)
	}
	if !owned.Trusted(p.uid) {
		return fmt.Errorf("%w (uid %d, process id %d)", ErrForeign, p.uid, p.pid)
	}
	return nil
}

// checkFree returns ErrSandboxed if the process that connected is in a sandbox, or has ended so
// that this cannot be checked.
func checkFree(conn *net.UnixConn) error {
	p, err := peerOf(conn)
	if err != nil || p.pid == 0 {
		return err
	}
	switch confined, err := sandbox.MoreConfined(p.pid); {
	case err != nil:
		return fmt.Errorf("%w, or gone (process id %d): %w", ErrSandboxed, p.pid, err)
	case confined:
		return fmt.Errorf("%w (process id %d)", ErrSandboxed, p.pid)
	}
	return nil
}

// Peer returns the user and the process ID of the other side of a connection from a Listener.
// The process ID is 0 if it is not known.
func Peer(conn net.Conn) (uid, pid int, err error) {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, 0, fmt.Errorf("%T is not a connection of a socket", conn)
	}
	p, err := peerOf(c)
	return int(p.uid), p.pid, err
}

// control calls f with the file descriptor of the connection.
func control(conn *net.UnixConn, f func(fd int) error) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var ferr error
	if err := raw.Control(func(fd uintptr) { ferr = f(int(fd)) }); err != nil {
		return err
	}
	return ferr
}
