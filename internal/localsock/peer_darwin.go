package localsock

import "golang.org/x/sys/unix"

// credentials returns the user and the process at the other end of a socket; see LOCAL_PEERCRED in
// unix(4). The process ID is 0 if it is not known.
func credentials(fd int) (uid, pid int, err error) {
	c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	if pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID); err != nil {
		pid = 0
	}
	return int(c.Uid), pid, nil
}
