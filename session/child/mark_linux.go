package child

import "golang.org/x/sys/unix"

// The mark is the soft limit of file locks, which the kernel has not looked at since
// Linux 2.4.25, keeps for every process and hands down. What sets all limits again, as
// su(1) may for another user, takes it away.

// setMark gives this process a mark, which those that it starts inherit, until undo is
// called. Where a lower limit is set for good there is none.
func setMark(m mark) (undo func()) {
	var before unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_LOCKS, nil, &before); err != nil {
		return func() {}
	}
	if err := unix.Prlimit(0, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: uint64(m), Max: before.Max}, nil); err != nil {
		return func() {}
	}
	return func() {
		_ = unix.Prlimit(0, unix.RLIMIT_LOCKS, &before, nil) // it was so before
	}
}

// readMark returns the mark of a process, also of one that has ended and was not
// reaped; 0 when it has none, or is another user's.
func readMark(pid int) mark {
	var l unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_LOCKS, nil, &l); err != nil || l.Cur>>62 != 1 {
		return 0
	}
	return mark(l.Cur)
}
