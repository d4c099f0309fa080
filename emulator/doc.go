// Package emulator turns the bytes a program writes to its terminal into the
// picture a person would see in xterm, and keys, pastes and mouse actions into
// the bytes that xterm would send to the program.
//
//	child bytes ─▶ parser ─▶ front ─▶ screen (vt10x)
//	               finds     decides   remembers
//	               bounds    meaning   cells
//	                           │
//	                           ├─▶ scrollback   rows that left the main screen
//	                           ├─▶ transcript   numbered lines of the session's text
//	                           ├─▶ replies      answers to DA, DSR, DECRQM, …
//	                           └─▶ events       bell, title, marks, clipboard, …
//
// The parser is a table-driven DEC/ECMA state machine that knows no meaning.
// The front speaks xterm's dialect: modes, character sets, margins, styles,
// widths, replies. The screen is a vt10x terminal that is told only what it
// does exactly right, and holds opaque handles for grapheme clusters and
// styles.
//
// The package has no goroutines, locks, files, clock or logger. A Terminal is
// a plain value that its owner guards.
package emulator
