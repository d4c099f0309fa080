package kernel

import (
	"bytes"
	"os"
	"strconv"
)

// yamaScope is the file in which the security module Yama shows which processes may inspect
// another one (kernel.org, admin-guide/LSM/Yama): with 0 processes of the same user, with 1
// its ancestors, with 2 processes of administrators, with 3 none.
const yamaScope = "/proc/sys/kernel/yama/ptrace_scope"

// AncestorsOnly reports whether Yama forbids this process to see what a program waits
// for, when this process is not an ancestor of the program.
func AncestorsOnly() bool { return ancestorsOnly(yamaScope, os.Geteuid()) }

// ancestorsOnly is AncestorsOnly for a file and a user. The file is missing without Yama.
func ancestorsOnly(file string, euid int) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	scope, err := strconv.Atoi(string(bytes.TrimSpace(text)))
	return err == nil && (scope > 0 && euid != 0 || scope > 2)
}
