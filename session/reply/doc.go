// Package reply makes the reply to a call that has waited: what of the output its reader
// has not seen, the screen or what has changed of it, what stands out there as chosen, and
// a hint where the next step is not obvious. Secrets are hidden in all of it.
//
// A Source is what replies are made from. It takes no lock: its owner guards it, and the
// reader that a reply moves.
package reply
