package child

import (
	"golang.org/x/sys/unix"
)

// adoptOrphans does nothing: macOS has no child subreaper.
func adoptOrphans() {}

// descendants returns the living processes below child, by the process table.
// One that left the session and lost its parent cannot be found.
func descendants(child int, _ string, reaped bool) []int {
	if reaped {
		return nil // its number may name another process by now
	}
	procs, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	in := map[int32]bool{int32(child): true}
	for grew := true; grew; {
		grew = false
		for _, p := range procs {
			if pid := p.Proc.P_pid; !in[pid] && in[p.Eproc.Ppid] {
				in[pid], grew = true, true
			}
		}
	}
	var pids []int
	for pid := range in {
		if int(pid) != child {
			pids = append(pids, int(pid))
		}
	}
	return pids
}

// strangers finds nothing: orphans go to launchd.
func (l *Local) strangers() (alive, zombies []int) { return nil, nil }

// reap does nothing: there are no adopted children.
func reap(int) {}

// Name returns the name of a process, "" when it cannot be known.
func Name(pid int) string {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return ""
	}
	return unix.ByteSliceToString(p.Proc.P_comm[:])
}

// Line returns the name of a process: its arguments are not known.
func Line(pid int) string { return Name(pid) }

// GroupName returns the name of a process group's leader.
func GroupName(group int) string { return Name(group) }

// Cwd is not known without libproc.
func Cwd(int) string { return "" }

// Alive reports whether the process exists and is no zombie.
func Alive(pid int) bool {
	const zombie = 5 // SZOMB, sys/proc.h
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && p.Proc.P_stat != zombie
}

// hangsUp reports whether a process ignores SIGTERM and has a handler for SIGHUP;
// here nobody tells.
func hangsUp(int) bool { return false }
