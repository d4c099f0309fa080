// Package wait decides when a call that waits is done.
//
// A Goal is what one call waits for: that the program is ready, quiet or has ended, that the screen
// changes, that tool calls may type, or that a pattern matches. Either package detect decides, by
// the evidence of package ready, or the Goal checks the condition itself. A Goal takes no lock and
// never sleeps. Its owner calls Verdict at each change, and at the time in the last verdict's
// Again.
package wait
