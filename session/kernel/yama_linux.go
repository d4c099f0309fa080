package kernel

import (
	"bytes"
	"os"
	"strconv"
)

// yamaScope says whom the security module Yama lets look into a process
// (kernel.org, admin-guide/LSM/Yama): 0 everybody of the same user, 1 its ancestors,
// 2 administrators, 3 nobody.
const yamaScope = "/proc/sys/kernel/yama/ptrace_scope"

// AncestorsOnly reports whether this process, which is not an ancestor of a program, may
// not see what that waits for.
func AncestorsOnly() bool { return ancestorsOnly(yamaScope, os.Geteuid()) }

// ancestorsOnly is AncestorsOnly for a file and a user. Without Yama there is no such
// file.
func ancestorsOnly(file string, euid int) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	scope, err := strconv.Atoi(string(bytes.TrimSpace(text)))
	return err == nil && (scope > 0 && euid != 0 || scope > 2)
}
