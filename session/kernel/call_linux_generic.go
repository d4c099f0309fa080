//go:build linux && (arm64 || riscv64)

package kernel

// The system calls that mean something here (include/uapi/asm-generic/unistd.h).
// Calls that this table lacks have numbers that no call has.
const (
	sysRead           = 63
	sysWrite          = 64
	sysPoll           = -2
	sysReadv          = 65
	sysWritev         = 66
	sysSelect         = -3
	sysPause          = -4
	sysNanosleep      = 101
	sysWait4          = 260
	sysRtSigtimedwait = 137
	sysRtSigsuspend   = 133
	sysFutex          = 98
	sysRestart        = 128
	sysClockNanosleep = 115
	sysEpollWait      = -5
	sysWaitid         = 95
	sysPselect        = 72
	sysPpoll          = 73
	sysEpollPwait     = 22
	sysEpollPwait2    = 441
)
