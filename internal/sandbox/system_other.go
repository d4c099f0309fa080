//go:build !linux

package sandbox

import (
	"os"
	"runtime"
	"syscall"
)

// noSandbox is why there is none here. macOS has sandbox-exec, which Apple has
// declared deprecated; a profile that nobody has tried there would promise what
// it may not keep.
const noSandbox = runtime.GOOS + " has none that glasstty knows; run the server in a container or a virtual machine"

// Probe returns what this machine can enforce.
func Probe() Support { return Support{System: noSandbox} }

// jobFile, launcherPath, namespaces and enforce are those of Linux.
func jobFile([]byte) (*os.File, error) { return nil, ErrSystem }

func launcherPath(self string) string { return self }

func namespaces(_ Policy, attr *syscall.SysProcAttr) *syscall.SysProcAttr { return attr }

func enforce(*Job) error { return ErrSystem }
