package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// execBwrap replaces this process, the first launcher, by bwrap, which creates namespaces and starts a
// second launcher in them. That one enforces the rest of the Policy and becomes the program. The standard
// error of bwrap is a file that the server reads; the second launcher restores the standard error
// of the program.
func execBwrap(j *Job) error {
	if j.Bwrap == "" {
		return errors.New("bwrap is not installed")
	}
	args, err := bwrapArgs(j)
	if err != nil {
		return err
	}
	if err := unix.Dup3(errorsFD, 2, 0); err != nil {
		return os.NewSyscallError("dup3", err)
	}
	for _, fd := range []uintptr{jobFD, reportFD} {
		if _, err := unix.FcntlInt(fd, unix.F_SETFD, 0); err != nil {
			return os.NewSyscallError("fcntl", err)
		}
	}
	return fmt.Errorf("execute %s: %w", j.Bwrap, syscall.Exec(j.Bwrap, args, []string{}))
}

// restoreErrors restores the program's standard error, which is the same file as its
// standard output.
func restoreErrors() error { return os.NewSyscallError("dup3", unix.Dup3(1, 2, 0)) }

// bwrapArgs returns the arguments with which bwrap enforces a job's Policy.
func bwrapArgs(j *Job) ([]string, error) {
	p := j.Policy
	args := []string{"bwrap", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"}
	if p.Network == NetworkPrivate {
		args = append(args, "--unshare-net")
	}
	if len(p.Read) == 0 {
		args = append(args, "--ro-bind", "/", "/")
	} else {
		for _, dir := range slices.Concat(systemDirs, p.Read, j.Readable) {
			args = append(args, "--ro-bind-try", dir, dir)
		}
	}
	// /proc is read-only. Otherwise root could change the kernel's settings in /proc/sys, where
	// core_pattern names a program that the kernel runs outside the sandbox.
	args = append(args, "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc")
	for _, path := range slices.Concat(p.Write, j.Writable) {
		if within(path, "/dev") {
			continue // the /dev that bwrap makes has terminals and shared memory of its own
		}
		fd, _, err := Pin(path)
		if err != nil {
			return nil, err
		}
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0); err != nil { // bwrap inherits the descriptor and closes it
			return nil, os.NewSyscallError("fcntl", err)
		}
		args = append(args, "--bind-fd", strconv.Itoa(fd), path)
	}
	// In a hidden directory there is nothing to hide or protect, and nothing can be mounted.
	hidden := func(path string) bool {
		return slices.ContainsFunc(p.Hide, func(dir string) bool { return dir != path && within(path, dir) })
	}
	for _, path := range p.Hide {
		info, err := os.Stat(path)
		switch {
		case hidden(path):
		case err != nil: // the path does not exist, or we may not see it either
		case info.IsDir():
			args = append(args, "--tmpfs", path, "--remount-ro", path)
		default:
			args = append(args, "--ro-bind", "/dev/null", path)
		}
	}
	for _, path := range p.Protect {
		visible := len(p.Read) == 0 || slices.ContainsFunc(slices.Concat(p.Read, p.Write, j.Readable, j.Writable), func(dir string) bool { return within(path, dir) })
		if _, err := os.Stat(path); err == nil && visible && !hidden(path) {
			args = append(args, "--ro-bind", path, path)
		}
	}
	if dir, err := filepath.EvalSymlinks("/proc/self/cwd"); err == nil {
		args = append(args, "--chdir", dir)
	}
	// Use a descriptor: the path may be hidden in the sandbox, or replaced by an upgrade.
	self, err := unix.Open("/proc/self/exe", unix.O_PATH, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: "/proc/self/exe", Err: err}
	}
	return append(args, "--", openFile(self), launcherArg, insideArg), nil
}
