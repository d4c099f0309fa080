// Package emulator turns the bytes a program writes to its terminal into the
// picture a person would see in xterm, and keys, pastes and mouse actions into
// the bytes that xterm would send to the program.
//
//	child bytes ─▶ decoder ─▶ parser ─▶ front ─▶ rows ─▶ vt10x
//	               UTF-8      finds     decides  being   remembers
//	                          bounds    meaning  drawn   cells
//	                                      │
//	                                      ├─▶ scrollback   lines that left the main screen
//	                                      ├─▶ lines        the screen and the scrollback as numbered lines
//	                                      ├─▶ images       tiles in the cells, see package graphics
//	                                      ├─▶ replies      answers to DA, DSR, DECRQM, …
//	                                      └─▶ events       bell, title, marks, clipboard, …
//
// # The layers
//
// The decoder turns bytes into characters as the WHATWG Encoding Standard does,
// before anything else looks at them: a byte of a character never ends a string
// or a sequence. The parser is a table-driven DEC/ECMA state machine that knows
// no meaning. C1 controls count only in their 7-bit form: as characters U+0080 to
// U+009F they are ignored, as in xterm, and their raw bytes are not UTF-8 and show
// as U+FFFD.
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
// # Lines
//
// The main screen and the scrollback above it are one list of lines (lines.go),
// however a line came to stand there: printed, painted or redrawn. Three choices
// are worth knowing:
//
//   - A line has a number, its place in the list, and an ID, which follows it where
//     it is moved. A reader tells by the ID what it has seen.
//   - A clear of the whole screen begins new lines. The lines that it erased keep
//     their numbers and their text, marked as erased, and so does what scrolled
//     away before ED 3: a search finds them, although no screen shows them.
//   - What a program that repaints the screen (repaint.go) has painted over is gone.
//
// # Deliberate differences from xterm
//
//   - Soft-wrapped lines are reflowed when the width changes; xterm cuts them.
//     The alternate screen is cropped, as in xterm.
//   - When the grid grows, rows come back from the scrollback, as in xterm and
//     tmux; when it shrinks, rows below the cursor go first, as in tmux.
//   - DECCOLM, while ?40 allows it, clears, homes and resets the margins, but does
//     not change the size: a PTY has the size that its session has given it, and on a
//     grid of another width the program's output would be drawn wrong.
//     This is what xterm shows when its window manager refuses to resize it. 132
//     columns are not announced in DA1. DECSNLS and XTWINOPS do not resize either.
//   - Erasing from the first column of a row ends the soft wrap of the row above,
//     because what it went on in is gone (xterm.js agrees).
//   - Erased cells keep the background alone (bce); in xterm they keep the
//     foreground too, which lines that DECCARA adds, or a fill, then show.
//     (xterm.js and tmux keep the background alone.)
//   - A combining character joins the cell before the cursor, as in xterm.js and
//     tmux; in xterm it joins the cell that was written last, even when the cursor has
//     moved away or other text has moved there.
//   - Where xterm's result depends on how the output was cut, ours is the result for
//     characters that come one by one: wide characters that do not fit while
//     autowrap is off, text that enters the margins in insert mode.
//   - DECSED and DECSEL always spare what DECSCA protects; xterm 379 stops sparing it
//     after a DECSED that found nothing protected, until the next DECSCA. Likewise
//     for SPA and ED.
//   - DECSTR resets the whole rendition (VT510 manual); in xterm faint, crossed out
//     and double underline stay. SGR 4 after 21 is a single underline (kitty, VTE,
//     tmux and xterm.js agree).
//   - REP repeats no more than a screenful.
//   - A missing top or left of a rectangle is the margin in origin mode (VT510
//     manual); xterm 379 counts the margin twice.
//   - An image (sixel, kitty, iTerm2; package graphics) is part of the cells that it
//     covers: text that is written there takes its place, and it has no z-index. A
//     width that is too narrow for it cuts it, and does not bring it back. Animations
//     and placements relative to others are refused, and so are images in files and
//     shared memory: a program must not make its terminal read them.
//   - DA1 says that a VT420 has sixels (4), which xterm says of a VT340 alone. Where
//     xterm 379 scrolls for a sixel image at the bottom, it counts a row too few for
//     some heights; here the whole image is on the screen, the cursor in its last row.
//   - The window's title is never reported, the clipboard never read, and the
//     answerback string is empty: text that a program shows must not come back as
//     input.
//   - XTWINOPS reports sizes, with cells of 10×20 pixels, and keeps the title
//     stack; it moves and resizes nothing.
//   - VT52 mode, double-width and double-height lines, printing, macros, user
//     keys, the locator and Tektronix mode do not exist. DECDWL and DECDHL are
//     consumed, and the line is shown at its full length: xterm would show its left
//     half, which a reader of text has no use for.
//   - DECNRCM (?42) lets national character sets be designated; xterm leaves UTF-8
//     meanwhile.
//   - RIS resets the colours of OSC 10 to 19 too, and OSC 105 those of OSC 5; in xterm
//     379 neither does.
//   - Colours are named by X's names, rgb: and #; intensities and device-independent
//     colours (rgbi:, CIELab: and the like) are ignored.
//   - ?45 and ?1045 are those of xterm 383 and later: BS and CUB go back over soft
//     wraps, or over any edge (xterm.js agrees).
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
//	go test ./emulator/graphics -fuzz FuzzImages -fuzztime 60s    each decoder of images
//	go test ./emulator -run 'Endless|Many|Resize|Param|Repeat|Long|Memory'    bad input
//	go test ./emulator -run '^$' -bench .          each path, a snapshot, the scrollback
//	go test ./internal/bench/conform -run Differential -v    recorded programs against xterm, @xterm/headless and tmux
//	go test ./internal/bench/conform -run ImagesOfPrograms   images by chafa, timg and img2sixel
//	go test ./internal/bench/conform -run SixelXTerm         sixel images against xterm, pixel by pixel
//	go test ./internal/bench/conform -run Vttest   vttest and its keyboard, driven through the server's tools
//	go test ./internal/bench/conform -run RandomXTerm -args -random 1000    random streams against xterm
//	go test ./internal/bench/conform -run StreamsXTerm -v -args -streams 2000    those of another generator, each difference reduced
//	go test ./internal/bench/conform -run StreamsXTerm -v -args -streams 2000 -from ctlseqs    those of a third
//	go run ./internal/bench/esctest -suite CHECKOUT    esctest2, with a reason for each test that does not pass
//	go run ./internal/bench/emulate -check         speed beside vt10x, a PTY and @xterm/headless
//
// The package has no goroutines, locks, files, clock or logger. A Terminal is
// a plain value that its owner guards.
package emulator
