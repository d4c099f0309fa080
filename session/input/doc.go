// Package input encodes what one call types, an Input, as a terminal does: for the
// modes that the program has set (Encode), or for a pipe (EncodePipe).
//
// The bytes are divided into bursts. Many programs take the bytes of one read for one key, or for a
// paste, so the caller sends one burst at a time. The package has only plain values: no lock, no
// clock, no terminal.
package input
