package kernel

import "golang.org/x/sys/unix"

// Numbers of system calls that newer architectures lack.
const (
	sysPoll      = unix.SYS_POLL
	sysSelect    = unix.SYS_SELECT
	sysPause     = unix.SYS_PAUSE
	sysEpollWait = unix.SYS_EPOLL_WAIT
)
