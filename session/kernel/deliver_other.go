//go:build !linux

package kernel

import "os"

// Deliver reports false: this system does not tell whether input has reached its reader.
func Deliver(*os.File) bool { return false }

// Unread reports false: this system does not tell what the reader has taken.
func Unread(*os.File) (n int, ok bool) { return 0, false }
