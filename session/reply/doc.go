// Package reply makes the reply to a call: the output that its reader has not seen, the
// screen or its changes, the choice that is highlighted there, and a hint if the next step
// is not obvious. It hides secrets in all of them.
//
// A Source makes replies. The session's mutex guards it, and the readers whose positions it changes.
package reply
