package child

import (
	"fmt"
	"os"
	"path/filepath"
)

// openDir opens a directory whose path has no symbolic links. A process can enter it
// by its path alone here, so that a moment is left in which a link can come.
func openDir(path string) (name string, dir *os.File, err error) {
	if real, err := filepath.EvalSymlinks(path); err != nil || real != path {
		return "", nil, fmt.Errorf("%w: %s leads to %s", ErrMoved, path, real)
	}
	dir, err = os.Open(path)
	return path, dir, err
}
