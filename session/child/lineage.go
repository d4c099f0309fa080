package child

import (
	"errors"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Relative is a process in a lineage: the process itself or one of its ancestors.
type Relative struct {
	PID     int
	Session int // the process ID of its session's leader, see setsid(2)
}

const (
	// lineageTries limits the attempts to read a lineage. An attempt fails if a process in it ends.
	lineageTries = 16
	// maxLineage limits the length of a lineage. No process table is longer (PID_MAX_LIMIT).
	maxLineage = 1 << 22
)

// Lineage returns a process and its ancestors, the process first, up to one that has no parent or
// whose parent this user may not see. The error is os.ErrNotExist if there is no such process, if
// this user may not see it, or if its ancestors keep changing.
func Lineage(pid int) ([]Relative, error) {
	for range lineageTries {
		line, whole := lineage(pid, readProcess)
		switch {
		case whole:
			return line, nil
		case len(line) == 0:
			return nil, os.ErrNotExist
		}
	}
	return nil, os.ErrNotExist
}

// Lineages returns the lineage of every process. It reads the process table once. If a process in
// a lineage has ended meanwhile, Lineages reads that lineage again, process by process.
func Lineages() (lines [][]Relative) {
	all := processes()
	byPID := make(map[int]process, len(all))
	for _, p := range all {
		byPID[p.pid] = p
	}
	read := func(pid int) (p process, ok bool) {
		p, ok = byPID[pid]
		return p, ok
	}
	for _, p := range all {
		line, whole := lineage(p.pid, read)
		if !whole {
			line, _ = Lineage(p.pid)
		}
		if len(line) > 0 { // otherwise the process has ended
			lines = append(lines, line)
		}
	}
	return lines
}

// lineage reads a lineage once. The lineage is not whole if a process in it has ended meanwhile:
// that process's child has another parent by now. A lineage that ends at a hidden process is whole.
func lineage(pid int, read func(pid int) (process, bool)) (line []Relative, whole bool) {
	for len(line) < maxLineage {
		p, ok := read(pid)
		if !ok {
			return line, len(line) > 0 && errors.Is(syscall.Kill(pid, 0), syscall.EPERM)
		}
		line = append(line, Relative{p.pid, p.session})
		if p.parent <= 0 {
			return line, true
		}
		pid = p.parent
	}
	return line, true
}

// InSession reports whether the first process of line belongs to a session. heads maps the process
// IDs of the sessions' programs to the sessions' IDs. reaper is the process that adopts the sessions'
// orphans, or 0 if none does. id is the session's ID, or "" for an orphan.
func InSession(line []Relative, heads map[int]string, reaper int) (id string, within bool) {
	for _, p := range line {
		for _, head := range []int{p.PID, p.Session} {
			if id, ok := heads[head]; ok {
				return id, true
			}
		}
	}
	return "", reaper != 0 && adopted(line, reaper)
}

// adopted reports whether the first process of line is a session's orphan or descends from one: owner
// is one of its ancestors. If owner is this process, other code in it may have started programs too.
// Such programs stay in this process's session, and are not orphans.
func adopted(line []Relative, owner int) bool {
	at := slices.IndexFunc(line, func(p Relative) bool { return p.PID == owner })
	switch {
	case at < 1:
		return false
	case owner != os.Getpid():
		return true
	}
	own, err := unix.Getsid(0)
	return err != nil || line[at-1].Session != own
}
