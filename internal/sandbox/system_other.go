//go:build !linux

package sandbox

import (
	"os"
	"runtime"
	"syscall"
)

// noSandbox says why there is no sandbox. macOS has sandbox-exec, but Apple has deprecated
// it, and a profile that was never tested there would promise too much.
const noSandbox = runtime.GOOS + " has none that glasstty knows; run the server in a container or a virtual machine"

// Probe returns what this machine can enforce.
func Probe() Support { return Support{System: noSandbox} }

// jobFile, namespaces and enforce replace the functions for Linux.
func jobFile([]byte) (*os.File, error) { return nil, ErrSystem }

func namespaces(_ Policy, attr *syscall.SysProcAttr) *syscall.SysProcAttr { return attr }

func enforce(*Job, bool) error { return ErrSystem }

// MoreConfined returns false, because there is no sandbox for this system.
func MoreConfined(int) (bool, error) { return false, nil }
