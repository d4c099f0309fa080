package audit

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/owned"
)

// A file is an open file that only this user may use. It can be distinguished from a later file
// at its path, because an inode number is not reused while the file is open.
type file struct {
	*os.File
	path string
	stat unix.Stat_t // when the file was opened
}

// openPrivate opens a regular file of a trusted user, and removes the permissions of others.
func openPrivate(path string, flag int) (*file, error) {
	f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, unix.ELOOP) {
		return nil, fmt.Errorf("%s is a symbolic link; name the file itself", path)
	}
	if err != nil {
		return nil, err
	}
	out := &file{File: f, path: path}
	err = unix.Fstat(int(f.Fd()), &out.stat)
	switch {
	case err != nil:
	case out.stat.Mode&unix.S_IFMT != unix.S_IFREG:
		err = fmt.Errorf("%s is not a regular file", path)
	case !owned.Trusted(out.stat.Uid):
		err = fmt.Errorf("%s %w (uid %d); name another file", path, owned.ErrForeign, out.stat.Uid)
	case out.stat.Mode&0o077 != 0:
		err = f.Chmod(0o600)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return out, nil
}

// look returns the size of the file at the path; same is false if f is no longer at its path.
func (f *file) look() (size int64, same bool) {
	var st unix.Stat_t
	if err := unix.Lstat(f.path, &st); err != nil {
		return 0, false
	}
	return st.Size, st.Ino == f.stat.Ino && st.Dev == f.stat.Dev
}
