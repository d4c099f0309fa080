//go:build !linux

package kernel

import "os"

// Unread reports false: this system does not show whether input has reached its reader.
func Unread(*os.File) (n int, ok bool) { return 0, false }
