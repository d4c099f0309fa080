package audit

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/owned"
)

// A file is an open file that only its owner, a trusted user, can use. stat distinguishes it from a
// later file at the path, because its inode number is not reused while it is open.
type file struct {
	*os.File
	path string
	info fs.FileInfo // when the file was opened
}

// openPrivate opens a regular file of a trusted user, and removes the permissions of all others.
func openPrivate(path string, flag int) (*file, error) {
	f, info, err := owned.OpenFile(path, flag|unix.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := f.Chmod(0o600); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return &file{f, path, info}, nil
}

// stat returns the size of the file that is now at f's path, and whether that file is f. An error
// gives 0 and false.
func (f *file) stat() (size int64, same bool) {
	info, err := os.Lstat(f.path)
	if err != nil {
		return 0, false
	}
	return info.Size(), os.SameFile(info, f.info)
}
