package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ticks is the number of clock ticks per second in /proc: USER_HZ, which is 100 on every Linux that
// Go supports.
const ticks = 100

// pss returns the proportional set size of a process in bytes.
func pss(pid int) (int64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(data), "\nPss:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, fmt.Errorf("/proc/%d/smaps_rollup has no Pss", pid)
	}
	kb, err := strconv.ParseInt(fields[0], 10, 64)
	return kb << 10, err
}

// A stat is the part of /proc/PID/stat that is needed here.
type stat struct {
	parent int
	cpu    time.Duration // user and system
}

// statOf returns a process's stat.
func statOf(pid int) (stat, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	f := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(f) < 13 {
		return stat{}, fmt.Errorf("process %d: %q", pid, data)
	}
	var n [3]int
	for i, at := range []int{1, 11, 12} {
		if n[i], err = strconv.Atoi(string(f[at])); err != nil {
			return stat{}, err
		}
	}
	return stat{n[0], time.Duration(n[1]+n[2]) * time.Second / ticks}, nil
}

// cpu returns the processor time of processes.
func cpu(pids []int) (sum time.Duration, err error) {
	for _, pid := range pids {
		s, err := statOf(pid)
		if err != nil {
			return 0, err
		}
		sum += s.cpu
	}
	return sum, nil
}

// wakes returns how often the threads of the processes have begun to wait, which is also how often
// they were woken. It does not depend on how busy the machine is.
func wakes(pids []int) (sum int64) {
	for _, pid := range pids {
		names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid)) // the pattern is valid
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				continue // the thread has ended
			}
			_, rest, _ := strings.Cut(string(data), "\nvoluntary_ctxt_switches:")
			line, _, _ := strings.Cut(rest, "\n")
			if n, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64); err == nil {
				sum += n
			}
		}
	}
	return sum
}

// processes returns all process ids.
func processes() (pids []int) {
	names, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	for _, name := range names {
		if pid, err := strconv.Atoi(filepath.Base(name)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// below returns the descendants of roots, without roots themselves.
func below(roots []int) (found []int) {
	parents := map[int]int{}
	for _, pid := range processes() {
		if s, err := statOf(pid); err == nil { // it may have ended
			parents[pid] = s.parent
		}
	}
	for pid := range parents {
		for p := parents[pid]; p > 1 && !slices.Contains(roots, pid); p = parents[p] {
			if slices.Contains(roots, p) {
				found = append(found, pid)
				break
			}
		}
	}
	return found
}

// keeperOf returns the keeper process of a data directory.
func keeperOf(dir string) (pids []int) {
	for _, pid := range processes() {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		args := strings.Split(string(line), "\x00")
		if err == nil && slices.Contains(args, "keeper") && slices.Contains(args, dir) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// stop ends a process that this benchmark has started.
func stop(pid int) { _ = syscall.Kill(pid, syscall.SIGTERM) }
