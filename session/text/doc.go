// Package text decides which lines of a terminal are output, and which of these are new
// to a reader.
//
// The rule: every visible change since a reader's last reply is in its next one. For
// each line that can still change, a reader remembers the text that it was shown. The
// line is shown again when its text differs from that. So a menu that is redrawn with
// the same words is not a change, a progress bar that was rewritten 200 times is one
// line, and text that appeared and vanished between two replies is never shown.
//
// Prompts, and the echo of what was typed, are not output. Type Echoes finds echoes in
// the terminal's lines. Type Out holds lines in the form in which a reply has them.
//
// The package has no lock: its callers must not use a value concurrently.
package text
