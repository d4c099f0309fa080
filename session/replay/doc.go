// Package replay takes a session's log through a terminal again: to its end, to
// rebuild what was there, or to any moment of it.
//
// A replay begins at the last state before the moment (eventlog.SaveState) and
// gives the terminal the same pieces of output as the session did, so that it
// comes to the same screen, the same lines and the same revisions. What the
// terminal answers to old queries is dropped.
//
// Files of others are read too (ReadCast): asciicast v2 and v3. What is written
// for players (WriteCast, WriteCast2) is plain asciicast without our own codes.
package replay
