// Package eventlog stores everything that happens in a session in one append-only log.
// Recordings, messages, history, replay and recovery are made from it.
//
// A log is a sequence of segments. Each is an asciicast v3 file
// (docs.asciinema.org/manual/asciicast/v3). Its name is the log offset of its first byte, counted
// from the log's beginning even after the oldest segments were removed:
//
//	000000000000.cast    header, events
//	000008388711.cast    the next segment
//	000008388711.state   the session's saved state at the start of that segment
//	meta.json            a description of the session, replaced atomically
//
// A segment ends when it is large enough, or when events were lost because they could not be
// written. The header of a segment contains, under the key "glasstty", the segment's log offset,
// and the time and the output bytes since the session began.
//
// Events are those of asciicast: o output, i input, r resize, m marker, x exit. t is the time since
// the previous line, in seconds, with microseconds. Players ignore two codes of our own:
//
//	[t, "b", "N BASE64"]   the exact bytes of the next event: its text without the
//	                       first N bytes, followed by the decoded BASE64. This line
//	                       precedes output or input with invalid UTF-8, which is U+FFFD
//	                       in the text, or with part of a character that was split
//	                       between two events. The later event's text has the whole
//	                       character.
//	[t, "n", "NAME DATA"]  a note: something that is not an event of a terminal, but
//	                       needed to recover a session (messages, input numbers).
//
// An output event contains the bytes that one Read of the child returned, so that a replay takes
// the same steps and reaches the same revisions. Secret input is never logged; a note records its
// length.
//
// A saved state (SaveState) follows from the events before its segment: a server or replay that begins
// with it need not read them. Of a state of another version, at most the terminal is used. The state
// that a child's owner keeps (child.Child.Keep) is different: it does not follow from the log.
//
// A file on disk may end anywhere. Readers ignore an incomplete last line, and lines that
// cannot be read, without an error. Log.Damage counts them.
//
// Append never waits for the disk. A Writer collects events in memory, and Flush writes them. A
// timer calls Flush; with Options.Direct, the owner does. After a failed write, events are dropped
// and counted until Writer.Rotate begins a new segment, RetryDelay later or more (see Status).
package eventlog
