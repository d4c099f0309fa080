package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// execBwrap becomes bwrap, which makes namespaces and starts a second launcher in
// them: it applies what bwrap does not know, and becomes the program.
func execBwrap(j *Job) error {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return errors.New("bwrap is not installed")
	}
	return fmt.Errorf("execute %s: %w", path, syscall.Exec(path, nil, os.Environ()))
}
