package keeper

import (
	"errors"
	"os"
)

// sharedMemory returns a temporary file that has no name any more, because macOS has no memfd_create.
func sharedMemory() (*os.File, error) {
	f, err := os.CreateTemp("", "glasstty-gauges-")
	if err != nil {
		return nil, err
	}
	return f, errors.Join(os.Remove(f.Name()))
}
