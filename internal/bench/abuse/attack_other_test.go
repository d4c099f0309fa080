//go:build !linux

package abuse

// attackMain does nothing: the attacks are for Linux.
func attackMain([]string) {}
