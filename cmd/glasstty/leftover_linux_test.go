package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// leftovers returns the processes, as "pid command line", that have the
// variable markVar=mark in their environment, whoever their parent is by now.
// Zombies have no environment and do not count: they are dead.
func leftovers(mark string) []string {
	want := []byte("\x00" + markVar + "=" + mark + "\x00")
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	var found []string
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(append([]byte{0}, env...), want) {
			continue
		}
		dir := filepath.Dir(f)
		cmdline, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		found = append(found, fmt.Sprintf("%s %s", filepath.Base(dir), strings.ReplaceAll(string(cmdline), "\x00", " ")))
	}
	return found
}
