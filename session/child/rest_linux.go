package child

import (
	"os"
	"strconv"
	"strings"
)

// readMachine reads what all processes do. It tells nothing where the kernel's
// files are not what they say (some sandboxes have zeros there).
func readMachine() (m machine, ok bool) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return m, false
	}
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return m, false
	}
	return machineOf(string(stat), string(info))
}

// machineOf returns what /proc/stat (proc_stat(5)) and /proc/meminfo
// (proc_meminfo(5)) tell.
func machineOf(stat, info string) (m machine, ok bool) {
	_, rest, _ := strings.Cut(stat, "\nprocesses ")
	line, _, _ := strings.Cut(rest, "\n")
	forks, err := strconv.ParseInt(line, 10, 64)
	if err != nil || forks <= 0 {
		return m, false
	}
	kb := kilobytes(info)
	anon, ok := kb["AnonPages"]
	if !ok || anon <= 0 {
		return m, false
	}
	return machine{forks, (anon + kb["Shmem"] + kb["SwapTotal"] - kb["SwapFree"]) << 10}, true
}
