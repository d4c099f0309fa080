//go:build linux && !amd64 && !arm64 && !riscv64

package kernel

// The call numbers of other processors are not known here: every call has a
// number that no call has, so that no thread is ever seen to wait.
const (
	sysRead           = -2
	sysWrite          = -3
	sysPoll           = -4
	sysReadv          = -5
	sysWritev         = -6
	sysSelect         = -7
	sysPause          = -8
	sysNanosleep      = -9
	sysWait4          = -10
	sysRtSigtimedwait = -11
	sysRtSigsuspend   = -12
	sysFutex          = -13
	sysRestart        = -14
	sysClockNanosleep = -15
	sysEpollWait      = -16
	sysWaitid         = -17
	sysPselect        = -18
	sysPpoll          = -19
	sysEpollPwait     = -20
	sysEpollPwait2    = -21
)
