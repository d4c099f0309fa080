package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// machineLoad returns how many processes wait for each processor of the machine, on the
// average of a minute; 0 when it is unknown.
func machineLoad() float64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	const unit = 1 << 16 // of the kernel's fixed-point numbers
	return float64(info.Loads[0]) / unit / float64(runtime.NumCPU())
}
