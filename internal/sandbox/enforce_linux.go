package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// goarch is the architecture of this executable.
const goarch = runtime.GOARCH

// enforce puts this process into the sandbox of a job. With the backend bwrap, the first
// launcher becomes bwrap, and the second launcher, inside it, does the rest.
func enforce(j *Job, inside bool) error {
	if err := hideDescriptors(); err != nil {
		return err
	}
	if j.Policy.Backend == Bwrap && !inside {
		return execBwrap(j)
	}
	if j.Policy.Network == NetworkPrivate && j.Policy.Backend == Landlock {
		if err := raiseLoopback(); err != nil {
			return fmt.Errorf("network: %w", err)
		}
	}
	if inside {
		if err := restoreErrors(); err != nil {
			return err
		}
	}
	var g grants
	if j.Policy.Backend == Landlock {
		var err error
		if g, err = newGrants(j); err != nil {
			return fmt.Errorf("files: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	if err := j.Policy.Limits.apply(); err != nil {
		return err
	}
	if err := restrictLandlock(j, g); err != nil {
		return err
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	return restrictCalls(j.Policy)
}

// hideDescriptors makes the program inherit only the standard files, because the server may itself have
// inherited other open files.
func hideDescriptors() error {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("descriptors: %w", err)
	}
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// apply sets the limits, but never raises one. It sets no limit on processes for root.
func (l Limits) apply() error {
	processes := 0
	if l.Processes > 0 && os.Geteuid() != 0 {
		processes = l.Processes + userThreads()
	}
	for _, r := range []struct {
		name  string
		which int
		limit int64
	}{
		{"processes", unix.RLIMIT_NPROC, int64(processes)},
		{"memory", unix.RLIMIT_DATA, l.Memory},
		{"files", unix.RLIMIT_NOFILE, int64(l.Files)},
		{"processor time", unix.RLIMIT_CPU, int64(l.CPU)},
	} {
		if r.limit == 0 {
			continue
		}
		var now syscall.Rlimit
		if err := syscall.Getrlimit(r.which, &now); err != nil {
			return fmt.Errorf("limit of %s: %w", r.name, err)
		}
		limit := min(uint64(r.limit), now.Max)
		// Use syscall.Setrlimit: syscall.Exec would undo a limit on files that was set in another way.
		if err := syscall.Setrlimit(r.which, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit of %s: %w", r.name, err)
		}
	}
	return nil
}

// userThreads counts the threads of this user, or returns 0 if /proc cannot be read. The kernel
// compares this number with the limit on processes.
func userThreads() int {
	tasks, err := filepath.Glob("/proc/[0-9]*/task")
	if err != nil {
		return 0
	}
	n, own := 0, uint32(os.Getuid())
	for _, task := range tasks {
		var st unix.Stat_t
		if unix.Stat(task, &st) == nil && st.Uid == own {
			n += max(int(st.Nlink)-2, 1) // the links are a directory for each thread, "." and ".."
		}
	}
	return n
}

// keptCapabilities are the capabilities that root keeps: for files, users, signals and low ports.
const keptCapabilities = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID |
	1<<unix.CAP_KILL | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID | 1<<unix.CAP_NET_BIND_SERVICE

// dropCapabilities drops all capabilities except keptCapabilities. It matters for root: other users
// lose their capabilities anyway when the program is executed.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	if data[0].Permitted == 0 && data[1].Permitted == 0 {
		return nil
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if c < 32 && keptCapabilities&(1<<c) != 0 {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EPERM) {
			return fmt.Errorf("capability %d: %w", c, err)
		}
	}
	data[0].Permitted &= keptCapabilities
	data[0].Effective &= keptCapabilities
	data[0].Inheritable = 0
	data[1] = unix.CapUserData{}
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}

// raiseLoopback activates the loopback interface of a new network.
func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req)
}
