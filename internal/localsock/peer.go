package localsock

import (
	"fmt"
	"net"

	"github.com/glasstty/glasstty/internal/owned"
	"github.com/glasstty/glasstty/internal/sandbox"
)

// Peer returns the user and the process ID of the other side of a connection, as they were when it
// connected or started to listen. The process ID is 0 if it is not known.
func Peer(conn net.Conn) (uid, pid int, err error) {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, 0, fmt.Errorf("%T is not a connection of a socket", conn)
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	var perr error
	if err := raw.Control(func(fd uintptr) { uid, pid, perr = credentials(int(fd)) }); err != nil {
		return 0, 0, err
	}
	return uid, pid, perr
}

// checkPeer returns ErrForeign if the other side's user is not trusted.
func checkPeer(conn *net.UnixConn) error {
	uid, pid, err := Peer(conn)
	if err != nil {
		return fmt.Errorf("ask for the other side's user: %w", err)
	}
	if !owned.Trusted(uint32(uid)) {
		return fmt.Errorf("%w (uid %d, process id %d)", ErrForeign, uid, pid)
	}
	return nil
}

// checkNotSandboxed returns ErrSandboxed if the process that connected is in a sandbox that this
// process is not in, or if that cannot be checked because the process has ended. It accepts a
// process whose ID is not known.
func checkNotSandboxed(conn *net.UnixConn) error {
	_, pid, err := Peer(conn)
	if err != nil || pid == 0 {
		return err
	}
	switch confined, err := sandbox.MoreConfined(pid); {
	case err != nil:
		return fmt.Errorf("%w, or has ended (process id %d): %w", ErrSandboxed, pid, err)
	case confined:
		return fmt.Errorf("%w (process id %d)", ErrSandboxed, pid)
	}
	return nil
}
