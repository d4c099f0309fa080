// Package emulator turns the bytes that a program writes to its terminal into what xterm
// would display, and keys, pastes and mouse events into the bytes that xterm would send
// to the program.
//
//	child bytes ─▶ decoder ─▶ parser ─▶ Terminal ─▶ rows ─▶ vt10x
//	               UTF-8      finds     applies     buffer  stores
//	                          bounds    meaning     changes cells
//	                                      │
//	                                      ├─▶ scrollback   lines that left the main screen
//	                                      ├─▶ lines        the screen and the scrollback as numbered lines
//	                                      ├─▶ images       tiles in the cells, see package graphics
//	                                      ├─▶ replies      to DA, DSR, DECRQM, …
//	                                      └─▶ events       bell, title, marks, clipboard, …
//
// # From bytes to cells
//
// The decoder turns bytes into characters as the WHATWG Encoding Standard does. This is
// the first step, so a byte inside a character never ends a string or a sequence. The
// parser is a DEC/ECMA state machine that does not know the meaning of
// sequences. C1 controls are recognized only in their 7-bit form, such as ESC [. The characters
// U+0080 to U+009F are ignored, as in xterm. The bytes 0x80 to 0x9F alone are not valid UTF-8,
// and each is shown as U+FFFD.
//
// The Terminal implements xterm's modes, character sets, margins, styles, widths and replies.
// Each control or escape sequence is a row of the tables in dispatch.go, with its source.
//
// The cells of a screen are stored in a terminal of package vt10x, which receives only sequences
// that it implements correctly. A stored cell has handles for its text and its style.
// Changed rows are buffered until the whole screen is read. Then the cells that differ are
// written to vt10x and the buffers are freed. A row that scrolls off the screen before it is
// read is never written. So a flood of output does not wait for vt10x, and a Snapshot takes
// time only for rows and cells that have changed. Only the file vt10x.go uses package
// vt10x.
//
// # Lines
//
// The main screen and the scrollback above it are one list of lines (lines.go). Three
// design decisions are worth knowing:
//
//   - A line has a number, its position in the list, and an ID, which stays the same if
//     the line moves. Readers use the ID to recognize lines that they have seen.
//   - A clear of the whole screen begins new lines. The erased lines keep their numbers
//     and text and are marked as erased. Lines that scrolled away before ED 3 also stay
//     in the list. So a search of the list finds text that Snapshot no longer shows.
//   - Lines that a program has overwritten while repainting the screen (repaint.go) are
//     not kept.
//
// # Deliberate differences from xterm
//
//   - Soft-wrapped lines are reflowed if the width changes; xterm cuts them.
//     The alternate screen is cropped, as in xterm.
//   - If the grid becomes higher, rows return from the scrollback, as in xterm and tmux. If
//     it becomes lower, rows below the cursor are removed first, as in tmux.
//   - DECCOLM, while ?40 allows it, clears the screen, moves the cursor home and resets
//     the margins, but does not change the size. The size of a PTY is set by its owner,
//     and on a grid with another width the program's output would be drawn incorrectly.
//     xterm does the same if its window manager refuses to resize it. DA1 does not
//     announce 132 columns. DECSNLS and XTWINOPS do not resize either.
//   - Erasing from the first column of a row ends the soft wrap of the row above (as in
//     xterm.js), because the continuation of that row no longer exists.
//   - Erased cells keep only the background (bce), as in xterm.js and tmux. In xterm they
//     keep the foreground too, which becomes visible if DECCARA adds underlining, or if
//     DECFRA fills the area.
//   - A combining character joins the cell before the cursor, as in xterm.js and tmux. In
//     xterm it joins the cell that was written last, even if the cursor has moved away or
//     that cell now shows other text.
//   - Where xterm's result depends on how the output was divided into reads, the result
//     here is the one that xterm gives if each character arrives in a read of its own.
//     This concerns wide characters that do not fit while autowrap is off, and text that
//     enters the margins in insert mode.
//   - DECSED and DECSEL spare cells protected by DECSCA until a reset (DECSTR, RIS).
//     xterm 379 stops sparing them after a DECSED that found no protected cell, until the
//     next DECSCA. ED and cells protected by SPA differ from xterm in the same way.
//   - DECSTR resets the whole rendition (VT510 manual); in xterm faint, crossed out
//     and double underline remain. SGR 4 after 21 selects a single underline, as in
//     kitty, VTE, tmux and xterm.js.
//   - REP repeats a character at most as often as the screen has cells.
//   - A missing top or left of a rectangle is the margin in origin mode (VT510
//     manual); xterm 379 counts the margin twice.
//   - An image (sixel, kitty, iTerm2; package graphics) is part of the cells that it
//     covers: text that is written there replaces it, and it has no z-index. If the grid
//     becomes narrower than the image, the part at the right is lost. Animations and placements
//     relative to others are refused, and so are images in files and shared memory,
//     because programs must not make their terminal read these.
//   - DA1 announces sixels (4) for a VT420; xterm does so only for a VT340. If xterm 379
//     scrolls for a sixel image at the bottom, it scrolls one row too few for some
//     heights. Here the whole image is on the screen, with the cursor in its last row.
//   - The window title is never reported, the clipboard is never read, and the
//     answerback string is empty, because text that a program shows must not return as
//     input.
//   - XTWINOPS reports sizes, with cells of 10×20 pixels, and maintains the title
//     stack. It does not move or resize the window.
//   - VT52 mode, double-width and double-height lines, printing, macros, user-defined
//     keys, the locator and Tektronix mode are not supported. DECDWL and DECDHL are
//     ignored and the whole line is shown. xterm shows only the left half of a
//     double-width line, which would hide text.
//   - DECRSPS, which restores what DECRQPSR has reported, is ignored.
//   - DECNRCM (?42) allows national character sets; xterm disables UTF-8 while it is set.
//   - RIS also resets the colours of OSC 10 to 19, and OSC 105 those of OSC 5; xterm 379
//     does neither.
//   - Mode 2027 (grapheme clusters), 2026, 2031, 2048 and kitty's keyboard flags
//     come from other terminals and follow their documentation.
//   - ?45 and ?1045 are those of xterm 383 and later: BS and CUB move back over soft
//     wraps, or over any row boundary (as in xterm.js).
//
// # Tests
//
//	go test ./emulator -run TestScripts            behaviour scripts, as a whole and byte by byte
//	go test ./emulator -run Terminfo               capabilities of the terminfo entry xterm-256color
//	go test ./emulator -run TestRandom             random streams, divisions and sizes; vt10x compared with a plain grid
//	go test ./emulator -run TestRandom -timeout 0 -random 1000000000 -v    the same with 10^9 bytes
//	go test ./emulator -run '^$' -fuzz FuzzTerminal -fuzztime 60s
//	go test ./emulator/graphics -fuzz FuzzImages -fuzztime 60s    image decoders
//	go test ./emulator -run 'Endless|Many|Resize|Param|Repeat|Long|Memory'    hostile input
//	go test ./emulator -run '^$' -bench .          output, snapshots, scrollback
//	go test ./internal/bench/conform -run Differential -v    recorded programs compared with xterm, @xterm/headless and tmux
//	go test ./internal/bench/conform -run ImagesOfPrograms   images from chafa, timg and img2sixel
//	go test ./internal/bench/conform -run SixelXTerm         sixel images compared with xterm, pixel by pixel
//	go test ./internal/bench/conform -run Vttest   vttest, including its keyboard tests, through the server's tools
//	go test ./internal/bench/conform -run RandomXTerm -args -random 1000    random streams compared with xterm
//	go test ./internal/bench/conform -run StreamsXTerm -v -args -streams 2000    streams of a second generator, reducing each difference
//	go test ./internal/bench/conform -run StreamsXTerm -v -args -streams 2000 -from ctlseqs    streams of a third generator
//	go run ./internal/bench/esctest -suite CHECKOUT    esctest2, with the reason for each failing test
//	go run ./internal/bench/emulate -check         speed compared with vt10x, a PTY and @xterm/headless
//
// The package has no goroutines, locks, files, clock or logger. A Terminal is not safe
// for concurrent use.
package emulator
