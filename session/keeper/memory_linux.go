package keeper

import (
	"os"

	"golang.org/x/sys/unix"
)

// sharedMemory returns memory as a file (memfd_create(2)). A file on a disk that is
// full would end the process at the first write to its mapping.
func sharedMemory() (*os.File, error) {
	fd, err := unix.MemfdCreate("gauges", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "gauges"), nil
}
