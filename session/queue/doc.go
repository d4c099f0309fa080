// Package queue holds the bytes to be written to a session's child: the input of calls, and the
// terminal's replies.
//
// Only the call that has the queue's turn types. A Reservation keeps other tool calls from taking
// the turn between the inputs of its owner, except to interrupt the program. The queue has its
// own lock, so that the session's writer can wait for the next item without the session's mutex.
package queue
