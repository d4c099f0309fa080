package doctor

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"
)

// kernelAdvice is what to do where the kernel's view is missing, as it always
// is here.
const kernelAdvice = "macOS does not tell what a program waits for: waits end by marks, prompts and pauses"

// alive reports whether a process is there.
func alive(pid string) bool {
	n, err := strconv.Atoi(pid)
	return err == nil && n > 0 && unix.Kill(n, 0) == nil
}

// ptyNumbers has no answer here: the system has a limit and no count.
func ptyNumbers() (used, limit int, err error) {
	return 0, 0, errors.ErrUnsupported
}
