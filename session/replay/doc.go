// Package replay plays a session's log on a terminal: to its end, or to any moment of
// the session.
//
// A replay begins at the last saved state before the moment (eventlog.SaveState). It feeds the
// terminal the same pieces of output as the session did, so the screen, the lines and the revisions
// become the same as in the session. The terminal's replies to old queries are dropped.
//
// ReadCast reads asciicast files of other programs, v2 and v3. Recording.WriteCast writes such
// files, without the notes of the log.
package replay
