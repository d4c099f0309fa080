// Package sandbox starts a program with fewer rights than the user who starts it.
//
//	Policy ─▶ Policy.Check ─▶ Support.Check: what this machine cannot enforce
//	   │
//	  Job ─▶ Prepare(cmd) ─▶ cmd.Start ─▶ Await
//	                            │
//	                        launcher: descriptors, namespaces, limits, Landlock,
//	                        capabilities, seccomp ─▶ execve: the program
//
// A launcher is a process of this executable. It restricts itself permanently and becomes the
// program under the same process ID. It reads its job from an unnamed file, so that the program's
// environment (LD_PRELOAD, GODEBUG) does not affect the launcher. It reports failures on a pipe that
// the program's execve closes, so that callers get the same errors as without a sandbox. If a part of
// its job fails, a launcher does not start the program.
//
// The mechanism that enforces each rule:
//
//	files            Landlock: reading and writing
//	TCP ports        Landlock, and seccomp for protocols that carry TCP
//	signals, ptrace  Landlock: only within this sandbox
//	local sockets    seccomp, or Landlock since Linux 7.1
//	kinds of sockets seccomp
//	a network        a network namespace, for users other than root in a user namespace
//	limits           setrlimit(2), for each process
//	set-user-id      no_new_privs
//	root's powers    capabilities, most of which are dropped
//	descriptors      only the standard files are inherited
//	environment      Scrub
//
// With the backend bwrap the first launcher becomes bubblewrap, which gives the program
// another view of the file system (read-only except for what it may write) and hides other
// processes. A second launcher inside does the rest.
//
// Landlock has limits. It grants whole hierarchies. To hide a directory, the launcher grants
// everything else that is next to this directory when the program starts. File names and the
// results of stat(2) stay visible. chmod(2), chown(2), utime(2) and setxattr(2) work on all files
// of the user. bwrap has none of these limits.
//
// Starting the launcher makes the start of a program slower (BenchmarkStart).
package sandbox
