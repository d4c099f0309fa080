//go:build !linux

package fleet

import "syscall"

// endWithUs does nothing: here a child continues when its parent is killed.
func endWithUs(*syscall.SysProcAttr) {}
