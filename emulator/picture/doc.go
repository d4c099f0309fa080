// Package picture draws an emulator.Snapshot: as plain text, as text with SGR
// sequences (ANSI), as HTML, SVG or PNG, and as runs of equally styled text
// (JSON).
//
//	Snapshot ─▶ view ─┬─▶ Text, ANSI, HTML, Runs
//	           region │
//	                  └─▶ painter ─▶ SVG, PNG
//
// A view is the region to draw. Output of the child appears in a result only in three forms: as
// text, with control characters replaced; as link targets, in which all characters that could end
// the link are encoded; and as images, which are decoded and encoded again. So a program cannot
// inject escape sequences, tags or attributes.
//
// In SVG and PNG, box-drawing characters, blocks, braille and Powerline symbols
// are drawn as shapes that fill their cells, so that they join without seams.
// DejaVu Sans Mono, which covers Latin, Greek, Cyrillic and many symbols, is built in for
// PNG. East Asian characters and emoji use the system's fonts, which are indexed when the
// first such character is drawn. A character without a font is drawn as a box.
//
// All functions are safe for concurrent use unless they share an Images.
package picture
