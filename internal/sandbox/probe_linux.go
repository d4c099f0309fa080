package sandbox

import (
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Probe returns what this machine can enforce. It is found out once.
var Probe = sync.OnceValue(probe)

func probe() Support {
	s := Support{Landlock: landlockVersion(), Root: os.Geteuid() == 0}
	if path, err := exec.LookPath("bwrap"); err == nil {
		s.Bwrap = path
	}
	// Asked with no filter, the kernel complains of the filter alone.
	if _, known := auditArch[goarch]; known {
		s.Seccomp = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, 0, 0, 0) == unix.EFAULT
	}
	s.Networks = makesNetworks()
	return s
}

// makesNetworks tries to start a program with a network of its own: too much may
// forbid it to tell it from settings.
func makesNetworks() bool {
	true_, err := exec.LookPath("true")
	if err != nil {
		return false
	}
	cmd := exec.Command(true_)
	cmd.SysProcAttr = namespaces(Policy{Network: NetworkPrivate, Backend: Landlock}, nil)
	return cmd.Run() == nil
}

// namespaces returns attr with what a process needs to have a network of its own.
// Root needs nothing else; others need a user namespace for it.
func namespaces(p Policy, attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	if p.Network != NetworkPrivate || p.Backend != Landlock {
		return attr
	}
	out := syscall.SysProcAttr{}
	if attr != nil {
		out = *attr
	}
	out.Cloneflags |= unix.CLONE_NEWNET
	if os.Geteuid() != 0 {
		out.Cloneflags |= unix.CLONE_NEWUSER
		out.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		// Executing the launcher would take what is needed to raise the loopback.
		out.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN}
		out.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	}
	return &out
}

// jobFile returns data as a file without a name.
func jobFile(data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("job", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), "job")
	if _, err := f.WriteAt(data, 0); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// launcherPath is the file to execute as a launcher: this one, also when it was
// replaced by an upgrade meanwhile.
func launcherPath(self string) string {
	const own = "/proc/self/exe"
	if _, err := os.Stat(own); err == nil {
		return own
	}
	return self
}
