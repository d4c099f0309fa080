package fleet

import "syscall"

// endWithUs makes a child end when the thread that starts it ends, and therefore when this
// process is killed.
func endWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGTERM }
