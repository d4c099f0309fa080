package httpserve

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/sandbox"
)

// checkNotSandboxed returns an error if the socket with this inode may belong to a sandboxed
// process, which could escape its sandbox through this server. A sandboxed process can hide its
// descriptors, or pass them on during the search. So if any process is sandboxed, checkNotSandboxed
// requires that a process outside all sandboxes has the socket open.
func checkNotSandboxed(inode uint64) error {
	if inode == 0 {
		return errPeerClosed // a closed socket: its owner is unknown
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
		confined, err := sandbox.MoreConfined(pid)
		if err != nil || !confined {
			free = append(free, task)
		} else if hasOpen(task, name) {
			return errSandboxed
		}
	}
	if len(free) == len(tasks) {
		return nil
	}
	for _, task := range free {
		if hasOpen(task, name) {
			return nil
		}
	}
	return errSandboxed
}

// isOneOf reports whether one of the processes pids has the socket of p open, or may have it open. If
// one of them hides its descriptors (PR_SET_DUMPABLE), isOneOf reports true unless a process that is
// not in pids has the socket open.
func isOneOf(p peer, pids []int) bool {
	if len(pids) == 0 {
		return false
	}
	if p.inode == 0 {
		return true // a closed socket: its owner is unknown
	}
	name := "socket:[" + strconv.FormatUint(p.inode, 10) + "]"
	hidden, within := false, map[string]bool{}
	for _, pid := range pids {
		task := filepath.Join("/proc", strconv.Itoa(pid))
		within[task] = true
		if hasOpen(task, name) {
			return true
		}
		hidden = hidden || hidesFiles(task, p.uid)
	}
	if !hidden {
		return false
	}
	tasks, err := filepath.Glob("/proc/[0-9]*")
	return err != nil || !slices.ContainsFunc(tasks, func(task string) bool { return !within[task] && hasOpen(task, name) })
}

// hidesFiles reports whether a process hides its open files and may belong to the user uid.
func hidesFiles(task string, uid uint32) bool {
	_, err := os.ReadDir(filepath.Join(task, "fd"))
	if !errors.Is(err, os.ErrPermission) {
		return false
	}
	status, err := os.ReadFile(filepath.Join(task, "status"))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) && !errors.Is(err, unix.ESRCH) // ESRCH: the process has ended
	}
	for line := range strings.Lines(string(status)) {
		if ids, ok := strings.CutPrefix(line, "Uid:"); ok {
			return slices.Contains(strings.Fields(ids), strconv.FormatUint(uint64(uid), 10))
		}
	}
	return true
}

// hasOpen reports whether a process has the file or socket name open. It reports false if this
// process may not see the open files. task is the process's directory in /proc.
func hasOpen(task, name string) bool {
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
