// Package tempdir makes temporary directories that do not stay when the process that
// was to remove them is killed: the next server sweeps them away.
//
//	Make ─▶ glasstty-KIND-NUMBER ─▶ Hold: its lock, as long as it is used
//	Sweep ─▶ this user's, a minute old, nobody holds it ─▶ removed
//
// The lock is the kernel's, which gives it back whatever way its holder ends.
package tempdir

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/internal/owned"
)

// The kinds of directories, which are in their names.
const (
	Marks   = "marks"
	History = "history"
)

// young is how old a directory is at most that Sweep leaves alone, held or not: between
// Make and Hold, a program is being started.
const young = time.Minute

// name matches the names of the directories that Sweep may remove.
var name = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^glasstty-(` + Marks + `|` + History + `)-[0-9]+$`)
})

// Make makes a directory that only this user can enter.
func Make(kind string) (string, error) { return os.MkdirTemp("", "glasstty-"+kind+"-") }

// Hold keeps Sweep from directories until release is called, or this process ends. One
// that cannot be held is not a reason not to use it.
func Hold(dirs []string) (release func()) {
	var held []int
	for _, dir := range dirs {
		if fd, err := open(unix.AT_FDCWD, dir, unix.LOCK_SH); err == nil {
			held = append(held, fd)
		}
	}
	return func() {
		for _, fd := range held {
			_ = unix.Close(fd) // nothing was written
		}
	}
}

// open opens the directory, not a link to one, and takes its lock.
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

// Sweep removes the directories that nobody holds, and returns how many.
func Sweep(now time.Time) (n int, err error) {
	root, err := os.OpenRoot(os.TempDir())
	if err != nil {
		return 0, err
	}
	defer root.Close()
	if err := owned.CheckPrivate(root); err != nil {
		return 0, err
	}
	all, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return 0, err
	}
	at, err := root.Open(".")
	if err != nil {
		return 0, err
	}
	defer at.Close()
	for _, e := range all {
		if !name().MatchString(e.Name()) {
			continue
		}
		removed, rerr := sweep(root, int(at.Fd()), e.Name(), now)
		if removed {
			n++
		}
		err = errors.Join(err, rerr)
	}
	return n, err
}

// sweep removes one directory, if it is this user's, old enough and held by nobody.
func sweep(root *os.Root, at int, name string, now time.Time) (bool, error) {
	fd, err := open(at, name, unix.LOCK_EX)
	if err != nil {
		return false, nil // held, another user's, a link, or gone
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return false, err
	}
	if int(st.Uid) != os.Geteuid() || now.Sub(time.Unix(st.Mtim.Unix())) < young {
		return false, nil
	}
	err = root.RemoveAll(name)
	return err == nil, err
}
