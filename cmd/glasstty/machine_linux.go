package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// memoryLimits are the files with a container's memory limit: cgroup v2 and v1.
var memoryLimits = []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}

// machineMemory returns the memory of the machine, or of the container if that is less, in bytes. It
// returns 0 if the memory is unknown.
func machineMemory() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	total := int64(info.Totalram) * int64(info.Unit)
	for _, name := range memoryLimits {
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64); err == nil && n > 0 {
			total = min(total, n)
		}
	}
	return total
}

// machineLoad returns the load average of the last minute per processor, or 0 if it is
// unknown.
func machineLoad() float64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	const unit = 1 << 16 // of the kernel's fixed-point numbers
	return float64(info.Loads[0]) / unit / float64(runtime.NumCPU())
}
