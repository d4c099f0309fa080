package child

import "golang.org/x/sys/unix"

// adoptOrphans does nothing: macOS has no child subreaper.
func adoptOrphans() {}

// tagged finds nothing: the environment of a process is hidden.
func tagged(string) []int { return nil }

// processes reads the process table, which tells no session here, nor what a
// process uses; see readProcess.
func processes() []process {
	procs, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	all := make([]process, len(procs))
	for i, p := range procs {
		all[i] = asProcess(&p)
	}
	return all
}

// asProcess returns what the kernel tells of a process.
func asProcess(k *unix.KinfoProc) process {
	p := process{pid: int(k.Proc.P_pid), parent: int(k.Eproc.Ppid), group: int(k.Eproc.Pgid), state: 'R', started: k.Proc.P_starttime.Nano()}
	if k.Proc.P_stat == zombie {
		p.state = 'Z'
	}
	return p
}

// readProcess reads one process; ok is false when it is gone.
func readProcess(pid int) (p process, ok bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return p, false
	}
	p = asProcess(k)
	p.session, err = unix.Getsid(pid)
	if err != nil {
		p.session = 0 // hidden
	}
	return p, true
}

// zombie is SZOMB, sys/proc.h.
const zombie = 5

// memoryOf is not known without libproc.
func memoryOf([]process) int64 { return 0 }

// claim finds nothing: orphans go to launchd.
func (l *Local) claim([]process, map[int]*localChild, []*localChild) bool { return false }

// Measures reports which of the limits can be measured here.
func Measures() []Limited { return []Limited{LimitedProcesses} }

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

// Piped is not known without libproc.
func Piped(int) []string { return nil }

// Cwd is not known without libproc.
func Cwd(int) string { return "" }

// Alive reports whether the process exists and is not a zombie.
func Alive(pid int) bool {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && p.Proc.P_stat != zombie
}

// hangsUp reports whether a process ignores SIGTERM and has a handler for SIGHUP;
// here nobody tells.
func hangsUp(int) bool { return false }

// Maps reports false: what a process has mapped is not known here.
func Maps(int, string) bool { return false }
