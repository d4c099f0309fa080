package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// leftovers returns the processes, as "pid command line", that have markVar=mark in their
// environment, whatever their parent is. Zombies have no environment and do not count.
func leftovers(mark string) []string {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	var found []string
	for _, f := range files {
		dir := filepath.Dir(f)
		if pid, err := strconv.Atoi(filepath.Base(dir)); err != nil || !marked(pid, mark) {
			continue
		}
		cmdline, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		found = append(found, fmt.Sprintf("%s %s", filepath.Base(dir), strings.ReplaceAll(string(cmdline), "\x00", " ")))
	}
	return found
}

// marked reports whether a process has markVar=mark in its environment.
func marked(pid int, mark string) bool {
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	return err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+markVar+"="+mark+"\x00"))
}
