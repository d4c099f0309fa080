// Package input holds what one call types, and encodes it as a terminal does: for the
// modes that the program has set (Encode), or for a pipe (EncodePipe).
//
// The bytes come in bursts. Many programs take the bytes of one read for one key, or for a
// paste, so the caller types burst by burst. All of this is plain values: no lock, no
// clock, no terminal.
package input
