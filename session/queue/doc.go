// Package queue holds what is on its way to a session's child: what calls type, and what
// the terminal answers.
//
// One call types at a time, which has the queue's turn; a Reservation keeps the turn from
// others while its owner types several inputs. The queue has a lock of its own, as the
// writer of the session waits at it.
package queue
