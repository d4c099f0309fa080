package httpserve

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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

// heldWithin reports whether one of these processes has the socket that h tells of.
// Where one of the socket's own user does not let itself be looked into, which it can
// choose (PR_SET_DUMPABLE), the socket must be found with another process.
func heldWithin(h holder, pids []int) bool {
	if len(pids) == 0 {
		return false
	}
	if h.inode == 0 {
		return true // it was closed: it could be anybody's
	}
	name := "socket:[" + strconv.FormatUint(h.inode, 10) + "]"
	hidden, those := false, map[string]bool{}
	for _, pid := range pids {
		task := filepath.Join("/proc", strconv.Itoa(pid))
		those[task] = true
		if holds(task, name) {
			return true
		}
		hidden = hidden || hides(task, h.uid)
	}
	if !hidden {
		return false
	}
	tasks, err := filepath.Glob("/proc/[0-9]*")
	return err != nil || !slices.ContainsFunc(tasks, func(task string) bool { return !those[task] && holds(task, name) })
}

// hides reports whether a process of a user does not show what it has open.
func hides(task string, uid uint32) bool {
	_, err := os.ReadDir(filepath.Join(task, "fd"))
	if !errors.Is(err, os.ErrPermission) {
		return false
	}
	status, err := os.ReadFile(filepath.Join(task, "status"))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	for line := range strings.Lines(string(status)) {
		if ids, ok := strings.CutPrefix(line, "Uid:"); ok {
			return slices.Contains(strings.Fields(ids), strconv.FormatUint(uint64(uid), 10))
		}
	}
	return true
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
