// Package queue holds what is on its way to a session's child: the input of calls, and the
// terminal's replies.
//
// Only the call that has the queue's turn types. A Reservation keeps the turn from other
// calls while its owner types several inputs. The queue has its own lock, because the
// session's writer waits for it.
package queue
