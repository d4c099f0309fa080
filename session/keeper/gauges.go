package keeper

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/session/child"
)

// MaxChildren is how many children a keeper can have at once.
const MaxChildren = 4096

// gauges are the gauges of all children, in memory that keeper and server share.
type gauges struct {
	mem  []byte
	file *os.File
}

// gaugeSize is the size of one gauge.
const gaugeSize = int(unsafe.Sizeof(child.Gauge{}))

// newGauges makes the memory.
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

// mapGauges maps a file into memory, and keeps the file.
func mapGauges(f *os.File) (*gauges, error) {
	mem, err := unix.Mmap(int(f.Fd()), 0, MaxChildren*gaugeSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("map the gauges: %w", err), f.Close())
	}
	return &gauges{mem: mem, file: f}, nil
}

// at returns a gauge. The memory is page-aligned, and so each gauge is aligned.
func (g *gauges) at(slot int) *child.Gauge {
	return (*child.Gauge)(unsafe.Pointer(&g.mem[slot*gaugeSize]))
}

// close unmaps the memory. No gauge may be used after it.
func (g *gauges) close() error {
	return errors.Join(unix.Munmap(g.mem), g.file.Close())
}
