package child

import (
	"os"
	"strconv"
	"strings"
)

// readMachine reads what all processes do. It tells nothing where the kernel's
// files are not what they say (some sandboxes have zeros there).
func readMachine() (m machine, ok bool) {
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return m, false
	}
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return m, false
	}
	return machineOf(string(load), string(info))
}

// machineOf returns what /proc/loadavg (proc_loadavg(5)) and /proc/meminfo
// (proc_meminfo(5)) tell.
func machineOf(load, info string) (m machine, ok bool) {
	fields := strings.Fields(load) // "0.20 0.18 0.12 1/80 11206"
	if len(fields) < 4 {
		return m, false
	}
	_, all, _ := strings.Cut(fields[3], "/")
	tasks, err := strconv.ParseInt(all, 10, 64)
	if err != nil || tasks <= 0 {
		return m, false
	}
	kb := kilobytes(info)
	anon, ok := kb["AnonPages"]
	if !ok || anon <= 0 {
		return m, false
	}
	return machine{tasks, (anon + kb["Shmem"] + kb["SwapTotal"] - kb["SwapFree"]) << 10}, true
}
