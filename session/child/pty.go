package child

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/session/kernel"
)

// startPTY starts cmd as the leader of a new session whose controlling terminal is a new
// PTY, and returns the PTY's master. Reads and writes of the master wait in the runtime's
// poller, not in the kernel, and end when the master is closed.
func startPTY(cmd *exec.Cmd, size Size) (*os.File, error) {
	opened, slave, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoPTY, err)
	}
	defer slave.Close()
	master, err := nonblocking(opened)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(setSize(master, size), kernel.SetUTF8(slave)); err != nil {
		_ = master.Close()
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	leadSession(cmd)
	cmd.SysProcAttr.Setctty = true
	if err := cmd.Start(); err != nil {
		_ = master.Close()
		return nil, err
	}
	return master, nil
}

// leadSession makes cmd the leader of a new session.
func leadSession(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
}

// nonblocking closes f and returns a copy of f that the runtime polls. f itself cannot be polled:
// package pty has called f.Fd, which makes f blocking for good.
func nonblocking(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("duplicate the terminal: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("make the terminal non-blocking: %w", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// The size of a cell in pixels. The emulator reports the same size to programs that ask.
const (
	cellWidth  = 10
	cellHeight = 20
)

// setSize sets a terminal's size in cells and pixels (TIOCSWINSZ). The kernel sends
// SIGWINCH to the foreground process group when the size changes.
func setSize(master *os.File, size Size) error {
	conn, err := master.SyscallConn()
	if err != nil {
		return err
	}
	ws := &unix.Winsize{
		Row: uint16(size.Rows), Col: uint16(size.Cols),
		Xpixel: uint16(size.Cols * cellWidth), Ypixel: uint16(size.Rows * cellHeight),
	}
	var failed error
	if err := conn.Control(func(fd uintptr) {
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, ws)
	}); err != nil {
		return err
	}
	if failed != nil {
		return fmt.Errorf("set the terminal's size: %w", failed)
	}
	return nil
}

// startPipes starts cmd with pipes instead of a terminal, as the leader of a new session.
// Standard output and standard error share a pipe, so that their bytes stay in the order in which
// the child writes them. Most programs buffer their output on a pipe, and so write it late.
func startPipes(cmd *exec.Cmd) (out, in *os.File, err error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("make a pipe: %w", err)
	}
	defer childIn.Close()
	out, childOut, err := os.Pipe()
	if err != nil {
		_ = in.Close()
		return nil, nil, fmt.Errorf("make a pipe: %w", err)
	}
	defer childOut.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, childOut
	leadSession(cmd)
	if err := cmd.Start(); err != nil {
		_, _ = in.Close(), out.Close()
		return nil, nil, err
	}
	return out, in, nil
}
