package kernel

import "golang.org/x/sys/unix"

// cpuClock returns how long all threads of a process have been on a processor,
// those that have ended included, in nanoseconds, and 0 when that is not known.
// One call tells so of a whole process whether any thread of it has run.
//
// A clock that counts in microseconds or worse may miss a short run: a value that
// could be of one is not told.
func (p *procfs) cpuClock(pid int) int64 {
	const schedClock = 2 // CPUCLOCK_SCHED, include/linux/posix-timers_types.h
	if p.root != procRoot || pid <= 0 || pid > 1<<28 {
		return 0
	}
	var ts unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|schedClock), &ts) != nil {
		return 0
	}
	if ns := ts.Nano(); ns%1000 != 0 {
		return ns
	}
	return 0
}
