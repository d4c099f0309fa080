//go:build !linux

package kernel

import "os"

// Deliver reports false: whether input has reached its reader is not known here.
func Deliver(*os.File) bool { return false }

// Unread reports false: what the reader has taken is not known here.
func Unread(*os.File) (n int, ok bool) { return 0, false }
