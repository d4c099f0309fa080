package fleet

import "syscall"

// endWithUs has a child end when the thread that starts it ends, and so when this process
// is killed.
func endWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGTERM }
