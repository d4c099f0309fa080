// Package kernel asks the kernel who waits for input on a pseudo-terminal.
//
//	master ─▶ foreground group ─▶ its threads ─▶ the call each sleeps in ─▶ View
//	termios    (TIOCGPGRP)         /proc          and its descriptors
//
// A Looker takes looks at one terminal; a View is what one look saw, a plain
// value. All that a View says held at one instant: the threads' scheduling
// counters are read before and after everything else, and a look during which
// a thread ran says that the group is not asleep.
//
// How to use it for "has the program answered":
//
//	before := looker.Look()            // just before the input is written
//	…write, and read what comes…
//	v := looker.Look()                 // when no output has come for a moment
//	v.Answers(before)                  // it has consumed the input, and only more
//	                                   // input can make it go on: done
//	v.Waiting && v.Scheduled(before)   // else: it seems to wait; done when
//	Quiet(v, later)                    // nothing has run by a later look
//
// A terminal's reply to a query is input too: take before again when one is
// written. In line mode a text without newline wakes nobody, so that before
// says nothing of it.
//
// A look must see the same bytes as the caller: it says that the terminal held
// no unread output, and knows nothing of bytes that another goroutine has read
// and not yet counted. Read the master without blocking and count the bytes
// under one lock, and look under that lock, or look from the reading goroutine.
//
// # What confirms a look
//
// A fixed stretch of quiet (5 ms, two looks) is not needed where a look is a
// proof. What makes it one, and what was tried:
//
//   - poll(2) on the master waits for output that is on its way through the
//     kernel; FIONREAD does not see it, which was the reason for the quiet. A
//     terminal inside (script, expect) must be asked in the same way.
//
//   - read(2) and poll(2) of the slave do the same for input, so that a reader
//     that has run since the write and sleeps again has taken all of it.
//
//   - schedstat's count of time slices, read before and after all else, says
//     that nothing ran meanwhile. Processor time does not: on a virtual machine the
//     time that the host takes for others is deducted later, and a short run may
//     count as none. utime and stime are too coarse besides (10 ms); the voluntary
//     switches of status say the same and cost nine times as much; wchan is the
//     same for a terminal that is read and one that is written.
//
//   - a call with a timeout below MinPause is not a wait: irb looks for keys for
//     1 ms before each prompt and for 100 ms at it, and was early in 1 of 8.
//
//   - what remains to be confirmed is a call with a timeout, or that waits for
//     other descriptors too. Those by which a process wakes itself do not count:
//     eventfd, signalfd, a pipe of which it holds both ends. Node in an await has the same threads, calls,
//     descriptors and modes as at its prompt: only the missing prompt tells.
//
//   - an event loop waits in the same call on the same descriptors whatever it
//     does. Place tells where in the program: by the stack pointers of its threads
//     (/proc/PID/syscall), and of its helpers in other groups. Neovim's main loop,
//     insert mode, :sleep and system() are four places. Node's await and its prompt
//     are one; there the way in which the prompt is drawn tells.
//
// TestTrials types commands with silent gaps (0.02 to 0.3 s), bursts, silent
// computation and much output to 22 programs, reads and looks every millisecond,
// and holds several rules against the same looks (472 commands, on 2 busy cores):
//
//	rule                            early  no verdict   p50      p99
//	one look that waits                 8           0   0.16 ms  21 ms
//	one look that proves it             0         172   0.14 ms   7 ms
//	proved, else Quiet for 1 ms         8           0   0.31 ms  22 ms
//	proved, else Quiet for 5 ms         8           0   0.31 ms  27 ms
//	Quiet for 5 ms                      8           0   6.0 ms   27 ms
//
// All 8 are node in an await. The times are those after the last output; their
// tail is the processor's, not the rules'. No verdict means that the next rule
// has to decide: fish, node, gdb, irb, ipython and asyncio wait for more than
// their terminal. GLASSTTY_TRIALS=3 go test -run Trials -v repeats it.
//
// A look costs 4 µs at bash's prompt, 5 µs in vim, 16 µs with node's 11 threads,
// 75 µs with the 54 threads of jshell's two Java processes, of which some wake all
// the time (go test -bench Look ./session/kernel; time on a processor).
//
// # What it does not see
//
// Processes that have left the session's tree of children; io_uring; the
// threads of another user's program (Hidden); 32-bit programs; and processors
// other than amd64, arm64 and riscv64. Where /proc is hidden, missing or odd
// (no CONFIG_PROC_CHILDREN, a sandbox) Known is false. ssh waits for its socket at all
// times: the screen decides. tmux's client hands its terminal to a server, which is
// found by their socket, or as an orphan of the session, and followed to its pane while
// it shows one terminal only: of several nobody knows which one shows.
//
// An event loop's timeout says when its first timer goes off, and nothing of those
// behind it. Programs that draw 60 times a second (Bubble Tea) hide all others so.
//
// Linux only: elsewhere a View has the terminal's modes, its foreground group
// and whether output is left, and Known is false.
package kernel
