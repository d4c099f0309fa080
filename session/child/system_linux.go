package child

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/session/kernel"
)

// adoptOrphans makes this process the parent of descendants whose parent has ended
// (PR_SET_CHILD_SUBREAPER, prctl(2)). So this process can find and end a daemon that has left its
// terminal session.
func adoptOrphans() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// readProcess reads one process. ok is false if the process does not exist or is hidden. A zombie
// still exists.
func readProcess(pid int) (p process, ok bool) {
	text, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return p, false
	}
	s, err := kernel.ParseStat(text)
	return process{
		pid: pid, name: s.Comm, state: s.State, parent: s.Parent, group: s.Group, session: s.Session,
		orphan: s.Parent == os.Getpid(), cpu: s.CPU, started: s.Started, resident: s.Resident,
	}, err == nil
}

// processes reads the process table.
func processes() []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, ok := readProcess(pid); ok {
			all = append(all, p)
		}
	}
	return all
}

// MeasurableLimits reports which of the limits can be measured here.
func MeasurableLimits() []LimitName { return []LimitName{LimitProcesses, LimitMemory, LimitCPU} }

// startIn makes a command start in the group.
func (g *group) startIn(cmd *exec.Cmd) {
	if g == nil {
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(g.dir.Fd())
}

// awaitEnd waits until a child of this process has ended, without reaping it. It reports false
// if the child cannot be waited for.
func awaitEnd(pid int) bool {
	pollEnd(pid)
	for {
		// If pollEnd could not wait for the end, this call blocks a thread until the end.
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}

// pollEnd waits for the child's end in the runtime's poller, so that living children need no threads.
// It polls a descriptor of the process (pidfd_open(2)). If the descriptor cannot be opened (Linux
// before 5.10, too many open files), pollEnd returns at once.
func pollEnd(pid int) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	// If the descriptor cannot be polled, Read fails, and awaitEnd blocks in waitid.
	_ = conn.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil
	})
}

// openDir opens the directory path, which must contain no symbolic links. It returns a name for
// exec.Cmd.Dir. The name leads to the open directory even if a link replaces path, or a directory
// above path, before the program starts.
func openDir(path string) (name string, dir *os.File, err error) {
	fd, name, err := sandbox.Pin(path)
	if err != nil {
		return "", nil, err
	}
	return name, os.NewFile(uintptr(fd), path), nil
}

// A mark is kept in the soft limit of file locks. Linux has ignored this limit since 2.4.25, but
// still keeps it for every process and passes it on to children. A program that sets all
// limits, as su(1) may, removes the mark.

// setMark gives this process a mark until undo is called. Processes that are started in between
// inherit the mark. setMark does nothing if the hard limit is lower than the mark.
func setMark(m mark) (undo func()) {
	var before unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_LOCKS, nil, &before); err != nil {
		return func() {}
	}
	if err := unix.Prlimit(0, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: uint64(m), Max: before.Max}, nil); err != nil {
		return func() {}
	}
	return func() {
		_ = unix.Prlimit(0, unix.RLIMIT_LOCKS, &before, nil) // allowed: it is the former limit
	}
}

// readMark returns the mark of a process, even of a zombie, or 0 if the process has none or
// belongs to another user.
func readMark(pid int) mark {
	var l unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_LOCKS, nil, &l); err != nil || l.Cur>>62 != 1 {
		return 0
	}
	return mark(l.Cur)
}
