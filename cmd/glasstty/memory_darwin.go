package main

import "golang.org/x/sys/unix"

// machineMemory returns the bytes of memory of this machine, 0 when nobody tells.
func machineMemory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}
