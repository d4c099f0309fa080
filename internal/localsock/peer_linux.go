package localsock

import "golang.org/x/sys/unix"

// credentials returns the user and the process at the other end of a socket; see SO_PEERCRED in
// unix(7).
func credentials(fd int) (uid, pid int, err error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(c.Uid), int(c.Pid), nil
}
