// Package reply makes the reply to a call: the output that its reader has not seen, the screen or its
// changes, the text that is highlighted on the screen, and a hint if the next step is not obvious. It hides
// secrets in all of them.
//
// A Source makes replies. The session's mutex guards a Source, and the readers whose positions it changes.
package reply
