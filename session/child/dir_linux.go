package child

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openDir opens a directory whose path has no symbolic links, and returns a name by which
// a forked process enters exactly this directory, even if somebody replaces it, or one
// above it, by a link meanwhile.
func openDir(path string) (name string, dir *os.File, err error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	dir = os.NewFile(uintptr(fd), path)
	name = "/proc/self/fd/" + strconv.Itoa(fd)
	if real, err := os.Readlink(name); err != nil || real != path {
		_ = dir.Close() // nothing was done with it
		return "", nil, fmt.Errorf("%w: %s leads to %s", ErrMoved, path, real)
	}
	return name, dir, nil
}
