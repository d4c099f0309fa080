// Package queue holds what is on its way to a session's child: the input of calls, and the
// terminal's replies.
//
// Only the call that has the queue's turn types. Between the inputs of a Reservation's
// owner, other tool calls cannot take the turn, except to interrupt the program. The queue
// has its own lock, so that the session's writer can wait for the next item without the
// session's mutex.
package queue
