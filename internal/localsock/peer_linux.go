package localsock

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerOf returns the process at the other end; see SO_PEERCRED in unix(7).
func peerOf(conn *net.UnixConn) (p peer, err error) {
	err = control(conn, func(fd int) error {
		c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err == nil {
			p = peer{uid: c.Uid, pid: int(c.Pid)}
		}
		return err
	})
	return p, err
}
