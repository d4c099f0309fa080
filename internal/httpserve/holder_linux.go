package httpserve

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/glasstty/glasstty/internal/sandbox"
)

// checkHolder returns an error when the socket with an inode may belong to a
// process in a sandbox, which could have this server do what it may not do itself.
// While there is none, nobody is asked further; else the holder must be found
// outside of all sandboxes: a process in one can hide its descriptors, or hand them
// on while they are looked at.
func checkHolder(inode uint64) error {
	if inode == 0 {
		return errNoHolder // it was closed: it could be anybody's
	}
	tasks, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return err
	}
	name := "socket:[" + strconv.FormatUint(inode, 10) + "]"
	var free []string
	for _, task := range tasks {
		pid, err := strconv.Atoi(filepath.Base(task))
		if err != nil {
			continue
		}
		tighter, err := sandbox.Tighter(pid)
		if err != nil || !tighter {
			free = append(free, task)
		} else if holds(task, name) {
			return errSandboxed
		}
	}
	if len(free) == len(tasks) {
		return nil
	}
	for _, task := range free {
		if holds(task, name) {
			return nil
		}
	}
	return errSandboxed
}

// holds reports whether a process has a file open, as far as it can be seen.
func holds(task, name string) bool {
	fds, err := os.ReadDir(filepath.Join(task, "fd"))
	if err != nil {
		return false
	}
	for _, fd := range fds {
		if to, err := os.Readlink(filepath.Join(task, "fd", fd.Name())); err == nil && to == name {
			return true
		}
	}
	return false
}
