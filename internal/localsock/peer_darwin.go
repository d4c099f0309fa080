package localsock

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerOf returns the process at the other end; see LOCAL_PEERCRED in unix(4). The process ID
// may not be known.
func peerOf(conn *net.UnixConn) (p peer, err error) {
	err = control(conn, func(fd int) error {
		c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		if err != nil {
			return err
		}
		p.uid = c.Uid
		if pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID); err == nil {
			p.pid = pid
		}
		return nil
	})
	return p, err
}
