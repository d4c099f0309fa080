package sandbox

import (
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Probe returns what this machine can enforce. It checks only once.
var Probe = sync.OnceValue(probe)

// probe checks what this machine can enforce.
func probe() Support {
	s := Support{Landlock: landlockVersion(), Root: os.Geteuid() == 0}
	if path, err := exec.LookPath("bwrap"); err == nil {
		s.Bwrap = path
	}
	// Given no filter, the call fails with EFAULT if the kernel has seccomp.
	if _, known := auditArch[goarch]; known {
		s.Seccomp = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, 0, 0, 0) == unix.EFAULT
	}
	s.Networks = networkAllowed()
	return s
}

// networkAllowed reports whether a program can have its own network. It starts such a program,
// because many different settings of the system can forbid it.
func networkAllowed() bool {
	path, err := exec.LookPath("true")
	if err != nil {
		return false
	}
	cmd := exec.Command(path)
	cmd.SysProcAttr = namespaces(Policy{Network: NetworkPrivate, Backend: Landlock}, nil)
	return cmd.Run() == nil
}

// namespaces returns attr with the namespaces that p needs with the backend Landlock: a network
// namespace for NetworkPrivate, and for users other than root also a user namespace.
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
		// raiseLoopback needs this capability; executing the launcher drops all others.
		out.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN}
		out.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	}
	return &out
}

// jobFile returns data as an unnamed file.
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
