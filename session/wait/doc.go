// Package wait decides when a call that waits is done.
//
// A Goal is what one call waits for: that the program is ready, quiet or has ended, that
// the screen changes, or that a pattern matches. Its Verdict comes from package detect,
// with the evidence of package ready, or follows from what the call has asked for. A Goal
// takes no lock and never sleeps: its owner asks for a Verdict at each change, and at the
// time that Again gives.
package wait
