package sandbox

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// MoreConfined reports whether a process is in a sandbox that this process is not in: it has
// no_new_privs and more system call filters. Do not carry out requests of such a process,
// which could use them to bypass its sandbox. The error wraps os.ErrNotExist if there is no
// such process.
func MoreConfined(pid int) (bool, error) {
	theirs, err := readRestrictions(strconv.Itoa(pid))
	if err != nil {
		return false, err
	}
	own, err := readRestrictions("self")
	return theirs.noNewPrivs && theirs.filters > own.filters, err
}

// restrictions are the restrictions of a process that every user may see.
type restrictions struct {
	noNewPrivs bool
	filters    int // number of system call filters
}

// readRestrictions reads /proc/PID/status (proc_pid_status(5)). Kernels before 5.9 report only
// whether there are filters, not their number.
func readRestrictions(pid string) (f restrictions, err error) {
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		switch {
		case errors.Is(err, os.ErrPermission):
			err = nil // another user's process is not in one of our sandboxes
		case errors.Is(err, unix.ESRCH):
			err = os.ErrNotExist // the process ended after the file was opened
		}
		return f, err
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		n, _ := strconv.Atoi(strings.TrimSpace(value)) // 0 if the value is not a number
		switch name {
		case "NoNewPrivs":
			f.noNewPrivs = n == 1
		case "Seccomp":
			f.filters = max(f.filters, min(n, 1))
		case "Seccomp_filters":
			f.filters = max(f.filters, n)
		}
	}
	return f, nil
}
