// Package tempdir creates temporary directories. If a process is killed before it removes its
// directory, a later server removes the directory.
//
//	Make ─▶ glasstty-KIND-NUMBER ─▶ Hold: locks the directory while it is used
//	Sweep ─▶ removes this user's directories that are not locked and have not changed for a minute
//
// The kernel releases the lock when the process ends, even if it is killed.
package tempdir

import (
	"errors"
	"os"
	"regexp"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/owned"
)

// The kinds of directories, which are part of their names.
const (
	Session    = "session"
	Recordings = "recordings"
)

// minAge is the time for which a directory must be unchanged before Sweep removes it. Sweep could
// otherwise remove a new directory before its user calls Hold.
const minAge = time.Minute

// name matches the names of the directories that Sweep may remove.
var name = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^glasstty-(` + Session + `|` + Recordings + `)-[0-9]+$`)
})

// Make creates a directory that only this user can enter.
func Make(kind string) (string, error) { return os.MkdirTemp("", "glasstty-"+kind+"-") }

// Hold keeps Sweep from removing a directory until release is called or this process ends. It
// does nothing if the directory cannot be locked.
func Hold(dir string) (release func()) {
	fd, err := open(unix.AT_FDCWD, dir, unix.LOCK_SH)
	if err != nil {
		return func() {}
	}
	return func() { _ = unix.Close(fd) } // nothing was written
}

// open opens a directory, but not a link to one, and locks it. It does not wait for the lock.
func open(at int, path string, lock int) (int, error) {
	fd, err := unix.Openat(at, path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err := unix.Flock(fd, lock|unix.LOCK_NB); err != nil {
		return 0, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// Sweep removes this user's directories that are not locked (see Hold) and have not changed for
// minAge. It returns the number of removed directories.
func Sweep(now time.Time) (n int, err error) {
	root, err := os.OpenRoot(os.TempDir())
	if err != nil {
		return 0, err
	}
	defer root.Close()
	if err := owned.CheckPrivate(root); err != nil {
		return 0, err
	}
	at, err := root.Open(".")
	if err != nil {
		return 0, err
	}
	defer at.Close()
	all, err := at.Readdirnames(-1)
	if err != nil {
		return 0, err
	}
	for _, dir := range all {
		if !name().MatchString(dir) {
			continue
		}
		removed, rerr := sweep(root, int(at.Fd()), dir, now)
		if removed {
			n++
		}
		err = errors.Join(err, rerr)
	}
	return n, err
}

// sweep removes a directory if it is this user's, not locked, and has not changed for minAge.
func sweep(root *os.Root, at int, name string, now time.Time) (bool, error) {
	fd, err := open(at, name, unix.LOCK_EX)
	if err != nil {
		return false, nil // locked, another user's, a link, or gone
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return false, err
	}
	if int(st.Uid) != os.Geteuid() || now.Sub(time.Unix(st.Mtim.Unix())) < minAge {
		return false, nil
	}
	err = root.RemoveAll(name)
	return err == nil, err
}
