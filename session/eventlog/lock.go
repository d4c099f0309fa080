package eventlog

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// takeLock locks a file, and creates it if it is missing. The lock lasts until the file is closed
// or the process ends. takeLock writes the process ID into the file, for the error that another
// server returns. If the disk is full or read-only, it locks an existing file without writing to it.
func takeLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
	if errors.Is(err, unix.EROFS) {
		// The disk is read-only. The file may have been created while it was writable.
		if old, e := os.Open(path); e == nil {
			f, err = old, nil
		} else {
			err = fmt.Errorf("%w; give another data directory, or none", err)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = fmt.Errorf("%w by %s; end it, or give another data directory", ErrLocked, holder(f))
		}
		return nil, errors.Join(err, f.Close())
	}
	pid := fmt.Appendf(nil, "%d\n", os.Getpid())
	_, err = f.WriteAt(pid, 0)
	if err == nil {
		err = f.Truncate(int64(len(pid))) // after writing: overwriting needs no space on a full disk
	}
	if err != nil && !isUnwritable(err) {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// isUnwritable reports whether an error means that the disk is full or read-only. Writing
// to a file that was opened on a read-only disk returns EBADF.
func isUnwritable(err error) bool {
	for _, e := range []error{unix.ENOSPC, unix.EDQUOT, unix.EROFS, unix.EBADF} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// holder describes the server that holds a lock.
func holder(f *os.File) string {
	b := make([]byte, 20)
	n, _ := f.ReadAt(b, 0)
	pid := strings.TrimSpace(string(b[:n]))
	if pid == "" {
		return "another server"
	}
	return "the server with process id " + pid
}

// isLocked reports whether a server holds the lock file at path.
func isLocked(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}
