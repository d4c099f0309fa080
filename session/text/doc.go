// Package text tells which lines of a terminal are output, and which of these are new to a
// reader.
//
// The rule: every visible change since a reader's last reply is in its next one. A
// reader remembers, for each line that can still change, what it was shown of it. A
// line is given again when its text differs from that: a menu that is redrawn with
// the same words is not a change, a progress bar that was rewritten 200 times is one
// line, and what appeared and vanished between two replies was never there.
//
// Prompts, and the echo of what was typed, are not output. Echoes looks for them in the
// terminal's lines. Out are lines as a reply renders them.
//
// The package has no lock.
package text
