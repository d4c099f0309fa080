//go:build linux && !amd64

package kernel

// System calls of amd64 that this architecture lacks. No call has these numbers.
const (
	sysPoll      = -2
	sysSelect    = -3
	sysPause     = -4
	sysEpollWait = -5
)
