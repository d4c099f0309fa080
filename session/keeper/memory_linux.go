package keeper

import (
	"os"

	"golang.org/x/sys/unix"
)

// sharedMemory returns shared memory as a file (memfd_create(2)). An ordinary file would
// not do: on a full disk, the first write to the mapping would kill the process.
func sharedMemory() (*os.File, error) {
	fd, err := unix.MemfdCreate("gauges", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "gauges"), nil
}
