//go:build !linux

package kernel

// AncestorsOnly returns false: this system never shows what a program waits for.
func AncestorsOnly() bool { return false }
