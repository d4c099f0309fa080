package fleet

import "syscall"

// endWithParent makes a child end when the thread that starts it ends, and therefore when this
// process is killed.
func endWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGTERM }
