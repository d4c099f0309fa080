// Package picture draws an emulator.Snapshot: as plain text, as text with SGR
// sequences (ANSI), as HTML, SVG or PNG, and as runs of equally styled text
// (JSON).
//
//	Snapshot ─▶ view ─┬─▶ Text, ANSI, HTML, Runs
//	           region │
//	                  └─▶ painter ─▶ SVG, PNG
//
// The view cuts the region out and makes every row full width. What the child
// wrote reaches a result only as the text of cells, with control characters
// replaced, and as link targets, with all that could end the link encoded: no
// escape sequence, tag or attribute can be smuggled through.
//
// In SVG and PNG, box-drawing characters, blocks, braille and Powerline symbols
// are drawn as shapes that fill their cells, so that they join without seams.
// PNG has DejaVu Sans Mono built in, which covers Latin, Greek, Cyrillic and
// many symbols; East Asian characters and emoji come from the system's fonts,
// which are looked for when the first such character is drawn. A character that
// no font has is a box.
//
// All functions are safe for concurrent use.
package picture
