//go:build !linux

package fleet

import "syscall"

// endWithParent does nothing: here a child continues when its parent is killed.
func endWithParent(*syscall.SysProcAttr) {}
