// Package kernel asks the operating system which program waits for input on a
// pseudo-terminal, or whether a child on pipes does.
//
//	master ─▶ foreground group ─▶ its threads ─▶ the call each sleeps in ─▶ View
//	termios    (TIOCGPGRP)         /proc          and its descriptors
//
// A Looker takes looks at one terminal. A View is the result of one look, a plain
// value. If its field Asleep is true, everything in the View was true at one instant: the
// threads' scheduling counters are read before and after everything else, and Asleep is false
// if a thread ran during the look.
//
// This is how to find out whether a program has answered:
//
//	before := looker.Look()            // just before the input is written
//	…write, and read the output…
//	v := looker.Look()                 // when nothing was read for a moment
//	v.Final() && v.Scheduled(before)   // the program slept before, has consumed the input and
//	                                   // can continue only with more input: done
//	v.Waiting && v.Scheduled(before)   // else: it seems to wait; done when
//	Unchanged(v, later)                // nothing has run by a later look
//
// A terminal's reply to a query is input too: take a new look before writing a reply. In line mode,
// text without a newline wakes no reader, so a look before such text proves nothing.
//
// A look reports whether the terminal held unread output. It cannot see bytes that another
// goroutine has read, but not yet passed on. So read the master without blocking, count the
// bytes under the same lock, and look under that lock; or look from the reading goroutine.
//
// # What confirms a look
//
// If one look is a proof, no second look after a pause (5 ms) is needed. This list says what makes
// a look a proof, and what does not:
//
//   - poll(2) on the master waits for output that is still inside the kernel.
//     FIONREAD does not see such output. A terminal inside this one (script, expect)
//     must be asked in the same way.
//
//   - read(2) and poll(2) of the slave wait for input that is still inside the kernel: a
//     reader that has run since the write and sleeps again has taken all of the input.
//
//   - schedstat's count of time slices, read before and after everything else, proves
//     that nothing ran in between. Processor time does not: a virtual machine deducts
//     later the time that its host gave to others, so a short run may add no time.
//     utime and stime are too coarse (10 ms). The voluntary context switches in status
//     would do, at nine times the cost. wchan is the same for reading a terminal and
//     for writing to it.
//
//   - a call for this terminal alone with a timeout below MinPause does not count as a wait.
//     irb checks for keys for 1 ms before each prompt and for 100 ms at the prompt; when both
//     counted, 1 of 8 verdicts came too early.
//
//   - a call with a timeout, or one that also waits for other descriptors, still needs
//     confirmation. Descriptors by which a process wakes itself do not count as others:
//     eventfd, signalfd, a pipe or socket pair of which the process holds both ends. Node in
//     an await has the same threads, calls, descriptors and modes as at its prompt: only the
//     missing prompt distinguishes the two.
//
//   - an event loop waits in the same call on the same descriptors whatever it does.
//     View.Place distinguishes the points in the program at which it waits, by the stack
//     pointers of its threads (/proc/PID/syscall) and of its descendants in other groups.
//     Neovim's main loop, insert mode, :sleep and system() are four places. Node's await and
//     its prompt are one place; there the way in which the prompt is drawn decides.
//
// TestTrials types commands with silent gaps, bursts, silent computation and much output into
// 22 programs, and applies several rules to the same looks. With the rule "proved, else unchanged
// for 5 ms", 8 of 472 verdicts are too early, all of them for node in an await. A verdict takes
// 0.3 ms (median; 27 ms at p99, with both processors busy). To repeat the measurement, run
// GLASSTTY_TRIALS=3 go test -run Trials -v.
//
// A look costs 4 µs at bash's prompt, 5 µs in vim, 16 µs with node's 11 threads, and
// 75 µs with the 54 threads of jshell's two Java processes, some of which keep waking up
// (go test -bench Look ./session/kernel; time on a processor).
//
// # Limits
//
// A look does not see processes that have left the session's process tree, io_uring, the threads of
// another user's program (Hidden) and 32-bit programs; on processors other than amd64, arm64 and
// riscv64 it sees few waits. Where /proc is hidden, missing or incomplete (no CONFIG_PROC_CHILDREN,
// a sandbox), Known is false. ssh always waits for its socket: there the screen decides. tmux's
// client passes its terminal to a server. A look finds that server by the socket between the two,
// or as an orphan of the session, and follows it to its pane as long as the server has a single
// pane: which one of several is visible is not known.
//
// An event loop's timeout shows when its first timer fires, but not the later ones. So a
// program that draws 60 times a second (Bubble Tea) hides all its other timers.
//
// All this needs Linux. Elsewhere a View has the terminal's modes, its foreground group
// and whether output is left, and Known is false.
package kernel
