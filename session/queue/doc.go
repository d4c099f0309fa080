// Package queue holds the bytes to be written to a session's child: the input of calls, and the
// terminal's replies.
//
// Only the call that has the queue's turn may type. A Reservation keeps other tool calls from
// taking the turn between the inputs of its owner, unless they interrupt the program. The queue has
// its own lock, so the session's writer waits for the next item without the session's mutex.
package queue
