package sandbox

import (
	"errors"
	"os"
	"strconv"
	"strings"
)

// Tighter reports whether a process is in a sandbox that this one is not in: it
// can get no new privileges, and passes more filters of system calls. Such a
// process must not have this one do for it what it may not do. The error is
// os.ErrNotExist when there is no such process.
func Tighter(pid int) (bool, error) {
	theirs, err := filters(strconv.Itoa(pid))
	if err != nil {
		return false, err
	}
	own, err := filters("self")
	return theirs.bound && theirs.count > own.count, err
}

// A filtering is what of a process's restrictions everybody may see.
type filtering struct {
	bound bool // no new privileges
	count int  // filters of system calls
}

// filters reads /proc/PID/status, see proc_pid_status(5). Kernels before 5.9 tell
// only whether there are filters.
func filters(pid string) (f filtering, err error) {
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		if errors.Is(err, os.ErrPermission) {
			err = nil // of another user, who is nobody's prisoner here
		}
		return f, err
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		n, _ := strconv.Atoi(strings.TrimSpace(value)) // 0 for what is not a number
		switch name {
		case "NoNewPrivs":
			f.bound = n == 1
		case "Seccomp":
			f.count = max(f.count, min(n, 1))
		case "Seccomp_filters":
			f.count = max(f.count, n)
		}
	}
	return f, nil
}
