//go:build !linux

package sandbox

// Tighter reports nothing where there is no sandbox.
func Tighter(int) (bool, error) { return false, nil }
