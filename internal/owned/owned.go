// Package owned opens this user's directories and files in places that users share, such as the
// directory for temporary files. Another user may have created a directory, a file or a link of
// the same name there.
package owned

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Modes of new directories and files.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Trusted reports whether this process may rely on a user's files: those of the process's own user,
// and of root, who can change all files anyway.
func Trusted(uid uint32) bool { return uid == 0 || int64(uid) == int64(os.Geteuid()) }

// Open opens a directory, and creates it if it is missing. The Root refers to that directory even
// if another one replaces it at path. The error is ErrForeign unless a trusted user has the directory.
func Open(path string) (*os.Root, error) {
	if err := os.MkdirAll(path, dirMode); err != nil {
		return nil, err
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	if err := check(dir, path); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// check returns ErrForeign unless trusted users own the directory and, if path is a link to it, the link.
func check(dir *os.Root, path string) error {
	info, err := dir.Stat(".")
	if err != nil {
		return err
	}
	name, err := os.Lstat(path)
	if err != nil {
		return err
	}
	for _, i := range []fs.FileInfo{info, name} {
		if uid := i.Sys().(*syscall.Stat_t).Uid; !Trusted(uid) {
			return fmt.Errorf("directory %s %w (uid %d); choose one of your own", path, ErrForeign, uid)
		}
	}
	return nil
}

// CheckPrivate returns an error if other users or the group may write to a directory that has no
// sticky bit. Such users could rename and remove this user's files.
func CheckPrivate(dir *os.Root) error {
	info, err := dir.Stat(".")
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("directory %s can be written by other users (%v); chmod 700 it, or choose another", dir.Name(), info.Mode())
	}
	return nil
}

// OpenFile opens a regular file of a trusted user, with flags as for os.OpenFile. A file that it
// creates has mode 0600. For a named pipe it returns an error at once, without waiting for the other end.
func OpenFile(path string, flag int) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, fileMode)
	if errors.Is(err, syscall.ELOOP) {
		return nil, nil, fmt.Errorf("%s is a symbolic link; name the file itself", path)
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file", path)
	case !Trusted(info.Sys().(*syscall.Stat_t).Uid):
		err = fmt.Errorf("%s %w (uid %d); name another file", path, ErrForeign, info.Sys().(*syscall.Stat_t).Uid)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}
