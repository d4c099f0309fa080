package audit

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/owned"
)

// A file is an open file that this user alone may use, with what tells it from
// another that comes to its path. An inode's number is not given again while the file
// is open.
type file struct {
	*os.File
	path string
	was  unix.Stat_t
}

// openPrivate opens a regular file.
func openPrivate(path string, flag int) (*file, error) {
	flag |= unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	f, err := os.OpenFile(path, flag|quiet, 0o600)
	if errors.Is(err, unix.EPERM) {
		f, err = os.OpenFile(path, flag, 0o600) // quiet is for a file's owner alone
	}
	if errors.Is(err, unix.ELOOP) {
		return nil, fmt.Errorf("%s is a symbolic link; name the file itself", path)
	}
	if err != nil {
		return nil, err
	}
	out := &file{File: f, path: path}
	err = unix.Fstat(int(f.Fd()), &out.was)
	switch {
	case err != nil:
	case out.was.Mode&unix.S_IFMT != unix.S_IFREG:
		err = fmt.Errorf("%s is not a regular file", path)
	case !owned.Trusted(out.was.Uid):
		err = fmt.Errorf("%s %w (uid %d); name another file", path, owned.ErrForeign, out.was.Uid)
	case out.was.Mode&0o077 != 0:
		err = f.Chmod(0o600)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return out, nil
}

// look returns the size of the file; ok is false when another is at its path, or
// none.
func (f *file) look() (size int64, ok bool) {
	var now unix.Stat_t
	if err := unix.Lstat(f.path, &now); err != nil {
		return 0, false
	}
	return now.Size, now.Ino == f.was.Ino && now.Dev == f.was.Dev
}
