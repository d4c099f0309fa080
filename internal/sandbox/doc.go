// Package sandbox starts a program so that it may do less than the user who
// starts it.
//
//	Policy ─▶ Check ─▶ Ready: what this machine cannot enforce
//	   │
//	  Job ─▶ Prepare(cmd) ─▶ cmd.Start ─▶ Await
//	                            │
//	                        launcher: namespaces, limits, Landlock,
//	                        capabilities, descriptors, seccomp ─▶ execve: the program
//
// A launcher is this program itself, executed between fork and the program's
// execve: it restricts itself for good, and becomes the program under the same
// process id. Its job comes by a file without a name, so that nothing of the
// program's environment (LD_PRELOAD, GODEBUG) acts on the launcher; what goes wrong
// it says on a pipe that the program's execve closes, so that an error is that of
// a start without a sandbox. A launcher that cannot do all that its job asks starts
// nothing.
//
// The mechanism that enforces each rule:
//
//	files            Landlock: what may be read, and written
//	TCP ports        Landlock, and seccomp for what is TCP by another name
//	signals, ptrace  Landlock: nothing outside of this sandbox
//	local sockets    seccomp, or Landlock from Linux 7.1 on
//	kinds of sockets seccomp
//	a network        a network namespace, below a user namespace but for root
//	limits           setrlimit(2), for each process
//	set-user-id      no_new_privs
//	root's powers    capabilities, of which few are left
//	descriptors      only the standard files are inherited
//	environment      Scrub
//
// With the backend bwrap the first launcher becomes bubblewrap, which shows the
// program another file system (read-only but for what may be written) and other
// processes, and a second one inside does the rest.
//
// The limits of Landlock: it allows whole hierarchies, so that a hidden
// directory is one beside which all else was granted when the program started;
// names of files, and what stat(2) says, are open; chmod(2), chown(2), utime(2) and
// setxattr(2) act on whatever the user owns. bwrap stops those.
//
// Starting a program takes about as long as the launcher's start (BenchmarkStart);
// once it runs nothing is slower but refused calls.
package sandbox
