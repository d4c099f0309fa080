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
//	v.Waiting && v.Scheduled(before)   // it has consumed the input and waits again
//	v.Final()                          // and only input can make it go on: done
//	Quiet(v, later)                    // else: nothing ran in between
//
// A look must see the same bytes as the caller: it says that the terminal held
// no unread output, and knows nothing of bytes that another goroutine has read
// and not yet counted. Read the master without blocking and count the bytes
// under one lock, and look under that lock, or look from the reading goroutine.
//
// Linux only: elsewhere a View has the terminal's modes, its foreground group
// and whether output is left, and Known is false.
package kernel
