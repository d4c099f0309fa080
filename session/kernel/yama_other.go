//go:build !linux

package kernel

// AncestorsOnly returns false: here nobody sees what a program waits for.
func AncestorsOnly() bool { return false }
