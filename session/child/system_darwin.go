package child

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/sandbox"
)

// adoptOrphans does nothing: macOS has no child subreaper.
func adoptOrphans() {}

// processes reads the process table. On macOS it lacks the sessions (see readProcess) and
// the use of resources.
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
	p := process{pid: int(k.Proc.P_pid), parent: int(k.Eproc.Ppid), group: int(k.Eproc.Pgid), state: 'R', name: unix.ByteSliceToString(k.Proc.P_comm[:]), started: k.Proc.P_starttime.Nano()}
	if k.Proc.P_stat == zombie {
		p.state = 'Z'
	}
	return p
}

// readProcess reads one process. ok is false if it has ended.
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

// MeasurableLimits reports which of the limits can be measured here.
func MeasurableLimits() []LimitName { return []LimitName{LimitProcesses} }

// startIn does nothing: there is no group.
func (g *group) startIn(*exec.Cmd) {}

// awaitEnd returns false at once: the caller waits when it reaps.
func awaitEnd(int) bool { return false }

// openDir opens a directory whose path has no symbolic links. On this system a process can enter
// it only by its path, so a link can still replace it before the program starts.
func openDir(path string) (name string, dir *os.File, err error) {
	if real, err := filepath.EvalSymlinks(path); err != nil || real != path {
		return "", nil, fmt.Errorf("%w: %s leads to %s", sandbox.ErrMoved, path, real)
	}
	dir, err = os.Open(path)
	return path, dir, err
}

// setMark does nothing: macOS has no unused limit.
func setMark(mark) (undo func()) { return func() {} }

// readMark returns 0.
func readMark(int) mark { return 0 }
