package child

import (
	"fmt"
	"os"
	"path/filepath"
)

// openDir opens a directory whose path has no symbolic links. On this system a process
// can enter it only by its path, so there is a moment in which it can be replaced by a
// link.
func openDir(path string) (name string, dir *os.File, err error) {
	if real, err := filepath.EvalSymlinks(path); err != nil || real != path {
		return "", nil, fmt.Errorf("%w: %s leads to %s", ErrMoved, path, real)
	}
	dir, err = os.Open(path)
	return path, dir, err
}
