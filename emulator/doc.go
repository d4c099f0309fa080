// Package emulator turns the bytes a program writes to its terminal into the
// picture a person would see in xterm, and keys, pastes and mouse actions into
// the bytes that xterm would send to the program.
//
//	child bytes ─▶ decoder ─▶ parser ─▶ front ─▶ rows ─▶ vt10x
//	               UTF-8      finds     decides  being   remembers
//	                          bounds    meaning  drawn   cells
//	                                      │
//	                                      ├─▶ scrollback   lines that left the main screen
//	                                      ├─▶ transcript   numbered lines of the session's text
//	                                      ├─▶ replies      answers to DA, DSR, DECRQM, …
//	                                      └─▶ events       bell, title, marks, clipboard, …
//
// # The layers
//
// The decoder turns bytes into characters as the WHATWG Encoding Standard does,
// before anything else looks at them: a byte of a character never ends a string
// or a sequence. The parser is a table-driven DEC/ECMA state machine that knows
// no meaning. C1 controls count when they come as characters U+0080 to U+009F,
// as in xterm; their raw bytes are not UTF-8 and show as U+FFFD, so nothing is
// ambiguous.
//
// The front speaks xterm's dialect: modes, character sets, margins, styles,
// widths, replies. Each sequence is one row of the tables in dispatch.go with
// the place where it is written down.
//
// The screen's memory is a vt10x terminal that is told only what it does exactly
// right, and holds handles for texts and styles, never their meaning. Rows that
// are being drawn stay with the front until somebody looks; then what differs is
// laid into vt10x, which is the only holder of the cells from then on. Rows that
// scroll off before anybody looks never reach it. What this costs: a flood of
// text never waits for vt10x, and a look costs reading the rows that changed
// and writing the cells that differ. vt10x.go is the only file that knows it.
//
// # The transcript
//
// The text that the program shows as a stream has line numbers; stream.go gives
// them out, and its comments are the rules. Three choices are worth knowing:
//
//   - A line belongs to a place: what a line editor, a progress bar or an inline
//     menu redraws in place, with relative motion, insertion and deletion, is the
//     same lines with another text. A menu below the cursor counts while it is
//     there. When it is erased its lines are gone, and their numbers are never
//     given to other text: Lines leaves them out, and a reader who has read up to
//     the menu still gets all that comes after it.
//   - What is painted by absolute addressing away from the last line has no
//     number, and a line that is painted over is kept as it was before.
//   - A program that repaints the screen (repaint.go) leaves nothing in it.
//
// # Deliberate differences from xterm
//
//   - Soft-wrapped lines are reflowed when the width changes; xterm cuts them.
//     The alternate screen is cropped, as in xterm.
//   - When the grid grows, rows come back from the scrollback, as in xterm and
//     tmux; when it shrinks, rows below the cursor go first, as in tmux.
//   - DECCOLM, while ?40 allows it, clears, homes and resets the margins, but does
//     not change the size: a PTY has the size that its session has given it, and a
//     terminal of another width than the program is told of would be drawn wrong.
//     It is what xterm shows when its window manager refuses to resize it. 132
//     columns are not announced in DA1.
//   - Erasing from the first column of a row ends the soft wrap of the row above,
//     because what it went on in is gone (xterm.js agrees).
//   - Erased cells keep the background alone (bce); in xterm they keep the
//     foreground too, which lines that DECCARA adds, or a fill, then show.
//     (xterm.js and tmux keep the background alone.)
//   - A combining character joins the cell before the cursor, as in xterm.js and
//     tmux; in xterm the one that was written last, wherever the cursor now is and
//     whatever has moved there since.
//   - Where xterm's answer depends on how the output was cut, ours is that for
//     characters that come one by one: wide characters that do not fit while
//     autowrap is off, text that enters the margins in insert mode.
//   - DECSED and DECSEL always spare what DECSCA protects; in xterm 379 no more
//     after a DECSED that met nothing protected, until DECSCA comes again.
//   - A missing top or left of a rectangle is the margin in origin mode (VT510
//     manual); xterm 379 counts the margin twice.
//   - There are no graphics: sixel, kitty and iTerm images are consumed whole,
//     counted and leave the cursor where it was, as in an xterm that was built
//     without them or plays a VT420.
//   - The window's title is never reported, the clipboard never read, and the
//     answerback string is empty: text that a program shows must not come back as
//     input.
//   - XTWINOPS reports sizes, with cells of 10×20 pixels, and keeps the title
//     stack; it moves and resizes nothing.
//   - VT52 mode, double-width and double-height lines, printing, macros, user
//     keys, the locator and Tektronix mode do not exist. DECDWL and DECDHL are
//     consumed, and the line is shown at its full length: xterm would show its left
//     half, which a reader of text has no use for.
//   - National character sets but the United Kingdom's count as ASCII.
//   - Mode 2027 (grapheme clusters), 2026, 2031, 2048 and kitty's keyboard flags
//     are of other terminals; they follow those terminals' documents.
//
// # Proofs
//
//	go test ./emulator -run TestScripts            behaviour scripts, whole and byte by byte
//	go test ./emulator -run Terminfo               the terminfo entry that is advertised
//	go test ./emulator -run TestRandom             random streams, cuts and sizes; vt10x against a plain grid
//	go test ./emulator -run TestRandom -timeout 0 -random 1000000000 -v    the same with 10^9 bytes
//	go test ./emulator -run '^$' -fuzz FuzzTerminal -fuzztime 60s
//	go test ./emulator -run 'Endless|Many|Resize|Param|Repeat|Long|Memory'    bad input
//	go test ./emulator -run '^$' -bench .          each path, a snapshot, the scrollback
//	go test ./internal/bench/conform -run Differential -v    recorded programs against xterm, @xterm/headless and tmux
//	go test ./internal/bench/conform -run Vttest   vttest and its keyboard, driven through the server's tools
//	go test ./internal/bench/conform -run RandomXTerm -args -random 1000    random streams against xterm
//	go run ./internal/bench/emulate -check         speed beside vt10x, a PTY and @xterm/headless
//
// The package has no goroutines, locks, files, clock or logger. A Terminal is
// a plain value that its owner guards.
package emulator
