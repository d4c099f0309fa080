package httpserve

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// addProcess adds process and runtime metrics, with the names that the Prometheus client
// library uses.
func (m *metrics) addProcess() {
	started := time.Now()
	show := func(name, kind, help string, read func() float64) { m.add(name, kind, help).watch(read) }
	m.add("go_info", gauge, "The version of Go.", "version").count(1, runtime.Version())
	show("go_goroutines", gauge, "Goroutines.", func() float64 { return float64(runtime.NumGoroutine()) })
	memory := func(name, kind, help string, field func(*runtime.MemStats) uint64) {
		show("go_memstats_"+name, kind, help, func() float64 {
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			return float64(field(&stats))
		})
	}
	memory("alloc_bytes", gauge, "Bytes of live and not yet swept objects.", func(s *runtime.MemStats) uint64 { return s.HeapAlloc })
	memory("alloc_bytes_total", counter, "Bytes allocated since the start.", func(s *runtime.MemStats) uint64 { return s.TotalAlloc })
	memory("heap_objects", gauge, "Objects on the heap.", func(s *runtime.MemStats) uint64 { return s.HeapObjects })
	memory("heap_inuse_bytes", gauge, "Bytes of heap spans in use.", func(s *runtime.MemStats) uint64 { return s.HeapInuse })
	memory("heap_released_bytes", gauge, "Bytes of heap given back to the system.", func(s *runtime.MemStats) uint64 { return s.HeapReleased })
	memory("stack_inuse_bytes", gauge, "Bytes of stacks in use.", func(s *runtime.MemStats) uint64 { return s.StackInuse })
	memory("next_gc_bytes", gauge, "The heap size at which the next garbage collection begins.", func(s *runtime.MemStats) uint64 { return s.NextGC })
	memory("sys_bytes", gauge, "Bytes obtained from the system.", func(s *runtime.MemStats) uint64 { return s.Sys })
	show("go_gc_pause_seconds_total", counter, "How long garbage collections have stopped the program.", func() float64 {
		var stats debug.GCStats
		debug.ReadGCStats(&stats)
		return stats.PauseTotal.Seconds()
	})
	show("process_start_time_seconds", gauge, "When the server started, since 1970.", func() float64 { return float64(started.UnixMilli()) / 1000 })
	show("process_cpu_seconds_total", counter, "Processor time, user and system.", cpuSeconds)
	show("process_max_fds", gauge, "How many file descriptors may be open.", func() float64 {
		var limit syscall.Rlimit
		if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
			return -1
		}
		return float64(limit.Cur)
	})
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		return // not Linux
	}
	show("process_open_fds", gauge, "Open file descriptors.", func() float64 {
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return -1
		}
		return float64(len(open) - 1) // not counting the one that reads the directory
	})
	show("process_virtual_memory_bytes", gauge, "Virtual memory.", func() float64 { return pages(0) })
	show("process_resident_memory_bytes", gauge, "Resident memory.", func() float64 { return pages(1) })
}

// cpuSeconds returns the processor time that this process has used in seconds, or -1.
func cpuSeconds() float64 {
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil {
		return -1
	}
	return float64(use.Utime.Nano()+use.Stime.Nano()) / 1e9
}

// pages returns a field of /proc/self/statm (proc_pid_statm(5)), converted to bytes, or -1.
func pages(field int) float64 {
	data, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(data))
	if err != nil || len(fields) <= field {
		return -1
	}
	n, err := strconv.ParseFloat(fields[field], 64)
	if err != nil {
		return -1
	}
	return n * float64(os.Getpagesize())
}
