package child

import "golang.org/x/sys/unix"

// adoptOrphans does nothing: macOS has no child subreaper.
func adoptOrphans() {}

// tagged returns nil: macOS hides the environment of processes.
func tagged(string) []int { return nil }

// processes reads the process table. On macOS it has no sessions (see readProcess), and
// not what a process uses.
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

// asProcess converts an entry of the process table.
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

// memoryOf returns 0: this needs libproc.
func memoryOf([]process) int64 { return 0 }

// claim reports false: launchd adopts orphans.
func (l *Local) claim([]process, map[int]*localChild, []*localChild) bool { return false }

// Measures reports which of the limits can be measured here.
func Measures() []Limited { return []Limited{LimitedProcesses} }

// strangers returns nothing: launchd adopts orphans.
func (l *Local) strangers() (alive, zombies []int) { return nil, nil }

// reap does nothing: there are no adopted children.
func reap(int) {}

// Name returns the name of a process, "" when it is not known.
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

// Piped returns nil: this needs libproc.
func Piped(int) []string { return nil }

// Cwd returns "": this needs libproc.
func Cwd(int) string { return "" }

// Alive reports whether the process exists and is not a zombie.
func Alive(pid int) bool {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && p.Proc.P_stat != zombie
}

// hangsUp reports false: macOS does not tell which signals a process handles.
func hangsUp(int) bool { return false }

// Maps reports false: this needs libproc.
func Maps(int, string) bool { return false }
