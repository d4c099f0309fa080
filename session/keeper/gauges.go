package keeper

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/session/child"
)

// MaxChildren is the maximum number of children of a keeper.
const MaxChildren = 4096

// gauges are the gauges of all children, in memory shared by the keeper and the server. The memory
// stays mapped until the process ends, because a call may still be reading a gauge.
type gauges struct {
	mem  []byte   // the mapped memory: MaxChildren gauges
	file *os.File // the mapped file, which the keeper passes to servers
}

// gaugeSize is the size of one gauge.
const gaugeSize = int(unsafe.Sizeof(child.Gauge{}))

// newGauges creates the shared memory.
func newGauges() (*gauges, error) {
	f, err := sharedMemory()
	if err != nil {
		return nil, fmt.Errorf("memory for the gauges: %w", err)
	}
	if err := f.Truncate(int64(MaxChildren * gaugeSize)); err != nil {
		return nil, errors.Join(fmt.Errorf("memory for the gauges: %w", err), f.Close())
	}
	return mapGauges(f)
}

// mapGauges maps a file into memory. The gauges keep the file.
func mapGauges(f *os.File) (*gauges, error) {
	mem, err := unix.Mmap(int(f.Fd()), 0, MaxChildren*gaugeSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("map the gauges: %w", err), f.Close())
	}
	return &gauges{mem: mem, file: f}, nil
}

// at returns the gauge of the child with a number. The gauge is aligned, because the memory is.
func (g *gauges) at(number int) *child.Gauge {
	return (*child.Gauge)(unsafe.Pointer(&g.mem[number%MaxChildren*gaugeSize]))
}
