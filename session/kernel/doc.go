// Package kernel asks the operating system which program waits for input on a
// pseudo-terminal, or whether a child on pipes does.
//
//	master ─▶ foreground group ─▶ its threads ─▶ the call each sleeps in ─▶ View
//	termios    (TIOCGPGRP)         /proc          and its descriptors
//
// A look is one examination of a terminal and the programs on it. A Looker takes looks, and a View is
// the result of one look. If View.Asleep is true, everything in the View was true at one instant: the
// threads' scheduling counters are read before and after everything else, and Asleep is false
// if a thread ran during the look.
//
// To find out whether a program has answered an input:
//
//	before := looker.Look()            // just before the input is written
//	…write, and read the output…
//	v := looker.Look()                 // when nothing was read for a moment
//	v.Final() && v.Scheduled(before)   // the program slept before, has consumed the input and
//	                                   // can continue only with more input: done
//	v.Waiting && v.Scheduled(before)   // otherwise: the program seems to wait; it is done if
//	Unchanged(v, later)                // nothing has run by a later look
//
// A terminal's reply to a query is input too: take a new look before writing a reply. In line mode,
// text without a newline wakes no reader, so a look before such text proves nothing.
//
// A look reports whether the terminal held unread output. It cannot see bytes that another goroutine
// has read, but not yet passed on. So hold a lock while you read the master without blocking and count
// the bytes, and hold the same lock during the look; or look from the reading goroutine.
//
// # What confirms a look
//
// If one look proves that the program waits, no second look after a pause (5 ms) is needed. This list
// says which observations prove that, and which do not:
//
//   - poll(2) on the master waits for output that is still inside the kernel.
//     FIONREAD does not see such output. If programs such as script and expect run
//     another terminal inside this one, its master must be polled too.
//
//   - read(2) and poll(2) of the slave wait for input that is still inside the kernel. So a
//     reader that has run since the write and sleeps again has taken all of the input.
//
//   - schedstat's count of time slices, read before and after everything else, proves
//     that nothing ran in between. Processor time does not: a virtual machine deducts
//     later the time that its host gave to others, so a short run may add no time.
//     utime and stime are too coarse (10 ms). The voluntary context switches in status
//     would do, at nine times the cost. wchan does not distinguish reading a terminal
//     from writing to it.
//
//   - a call for this terminal alone with a timeout below MinPause does not count as a wait.
//     irb checks for keys for 1 ms before each prompt and for 100 ms at the prompt. When both
//     counted as waits, irb was taken for waiting too early in 1 of 8 cases.
//
//   - a call with a timeout, or one that also waits for other descriptors, needs a second
//     look. Descriptors by which a process wakes itself do not count as others: eventfd,
//     signalfd, a pipe or socket pair of which the process holds both ends. Node has the same
//     threads, calls, descriptors and modes in a JavaScript await as at its prompt. Only the
//     missing prompt distinguishes the await.
//
//   - an event loop waits in the same call on the same descriptors whatever it does.
//     View.Place distinguishes the points in the program at which it waits, by the stack
//     pointers of its threads (/proc/PID/syscall) and of its descendants in other groups.
//     Neovim's main loop, insert mode, :sleep and system() are four places. Node's await and
//     its prompt are one place; only the way in which the prompt is drawn differs.
//
// TestTrials types commands with silent gaps, bursts, silent computation and much output into
// 22 programs, and applies several rules to the same looks. The rule "a proof, or no change for
// 5 ms" decides too early in 8 of 472 cases, all of them node in an await. It decides within
// 0.3 ms (median; 27 ms at p99, with both processors busy). To repeat the measurement, run
// GLASSTTY_TRIALS=3 go test -run Trials -v.
//
// A look costs 4 µs at bash's prompt, 5 µs in vim, 16 µs with node's 11 threads, and
// 75 µs with the 54 threads of jshell's two Java processes, some of which keep waking up
// (go test -bench Look ./session/kernel; time on a processor).
//
// # Limits
//
// A look does not see processes that have left the session's process tree, waits in io_uring, the
// threads of another user's program (Hidden) and 32-bit programs. On processors other than amd64,
// arm64 and riscv64 it sees few waits. If /proc is hidden, missing or incomplete (no
// CONFIG_PROC_CHILDREN, a sandbox), Known is false. ssh always waits for its socket, so only the
// screen shows its prompts. tmux's client passes its terminal to a server. A look finds the server by
// the socket between the two, or as an orphan of the session. It continues with the terminal of the
// server's pane if there is only one: which of several panes is visible is not known.
//
// An event loop's timeout shows when its first timer fires, but not the later ones. So a
// program that draws 60 times a second (Bubble Tea) hides all its other timers.
//
// All this needs Linux. Elsewhere a View has only the terminal's modes, its foreground group
// and whether output is left, and Known is false.
package kernel
