package kernel

import (
	"bytes"
	"os"
	"strconv"
)

// yamaScope is the file in which the security module Yama shows which processes may inspect a
// process (kernel.org, admin-guide/LSM/Yama). 0: those of the same user. 1: its ancestors. 2: those
// of administrators. 3: none.
const yamaScope = "/proc/sys/kernel/yama/ptrace_scope"

// AncestorsOnly reports whether Yama forbids this process to see what a program waits for, unless
// this process is an ancestor of the program.
func AncestorsOnly() bool { return ancestorsOnly(yamaScope, os.Geteuid()) }

// ancestorsOnly is AncestorsOnly for a file and a user. Without Yama, the file is missing.
func ancestorsOnly(file string, euid int) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	scope, err := strconv.Atoi(string(bytes.TrimSpace(text)))
	return err == nil && (scope > 0 && euid != 0 || scope > 2)
}
