// Package wait decides when a call that waits is done.
//
// A Goal is what one call waits for: that the program is ready, quiet or has ended, that
// the screen changes, that a pattern matches. Its Verdict is package detect's, by the
// evidence of package ready, or follows from what the call has asked for. It takes no lock
// and never sleeps: its owner asks it at each change, and when Again says.
package wait
