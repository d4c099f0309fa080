package kernel

// The system calls that mean something here (arch/x86/entry/syscalls/syscall_64.tbl).
const (
	sysRead           = 0
	sysWrite          = 1
	sysPoll           = 7
	sysReadv          = 19
	sysWritev         = 20
	sysSelect         = 23
	sysPause          = 34
	sysNanosleep      = 35
	sysWait4          = 61
	sysRtSigtimedwait = 128
	sysRtSigsuspend   = 130
	sysFutex          = 202
	sysRestart        = 219
	sysClockNanosleep = 230
	sysEpollWait      = 232
	sysWaitid         = 247
	sysPselect        = 270
	sysPpoll          = 271
	sysEpollPwait     = 281
	sysEpollPwait2    = 441
)
