//go:build !linux

package abuse

// attackMain is for Linux.
func attackMain([]string) {}
