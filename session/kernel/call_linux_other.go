//go:build linux && !amd64

package kernel

// Calls of amd64 that newer architectures lack. No call has these numbers.
const (
	sysPoll      = -2
	sysSelect    = -3
	sysPause     = -4
	sysEpollWait = -5
)
