package child

import "golang.org/x/sys/unix"

// The mark is the soft limit of file locks. Linux has ignored this limit since 2.4.25, but
// still keeps it for every process and passes it on to children. A program that sets all
// limits, as su(1) may, removes the mark.

// setMark gives this process a mark, which processes inherit that it starts, until undo is
// called. It does nothing if the hard limit is lower.
func setMark(m mark) (undo func()) {
	var before unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_LOCKS, nil, &before); err != nil {
		return func() {}
	}
	if err := unix.Prlimit(0, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: uint64(m), Max: before.Max}, nil); err != nil {
		return func() {}
	}
	return func() {
		_ = unix.Prlimit(0, unix.RLIMIT_LOCKS, &before, nil) // allowed: it is the former limit
	}
}

// readMark returns the mark of a process, also of a zombie; 0 when it has none, or belongs
// to another user.
func readMark(pid int) mark {
	var l unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_LOCKS, nil, &l); err != nil || l.Cur>>62 != 1 {
		return 0
	}
	return mark(l.Cur)
}
