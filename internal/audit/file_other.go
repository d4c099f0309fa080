//go:build !linux

package audit

// quiet is nothing here.
const quiet = 0
