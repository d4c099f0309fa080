// Package text decides which lines of a terminal are output, and which of these are new
// to a reader.
//
// Every visible change since a reader's last reply is in its next reply. For each
// line that can still change, a reader remembers the text that it has seen, and gets
// the line again when the text differs. So a menu that is redrawn with the same words is
// not a change, a progress bar that was rewritten 200 times is one line, and text that
// appeared and vanished between two replies is never shown.
//
// Prompts and the echo of typed input are not output. Type Echoes finds echoes in the
// terminal's lines. An OutputLine is a line of a reply.
//
// The package has no lock: its callers must not use a value concurrently.
package text
