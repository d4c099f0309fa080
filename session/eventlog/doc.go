// Package eventlog stores everything that happens in a session in one append-only log.
// Recordings, messages, history, replay and recovery are made from it.
//
// A log is a sequence of segments. Each is an asciicast v3 file
// (docs.asciinema.org/manual/asciicast/v3), named by the log offset of its first byte, so
// that offsets do not change when the oldest segments are removed:
//
//	000000000000.cast    header, events
//	000008388711.cast    the next segment
//	000008388711.state   the session's state at its start
//	meta.json            a description of the session, replaced atomically
//
// A segment ends when it is large enough, or when events were lost because they could not be
// written.
// Its header sums up the segments before it, under the key "glasstty": log offset, time and
// output bytes since the session began.
//
// Events are those of asciicast: o output, i input, r resize, m marker, x exit. Players
// ignore two codes of our own:
//
//	[t, "b", "N BASE64"]   the exact bytes of the next event: its text without the
//	                       first N bytes, followed by the decoded BASE64. This line
//	                       precedes output or input that has invalid UTF-8, which is
//	                       U+FFFD in the text, or part of a character that was split
//	                       between two events. The later event's text has the whole
//	                       character.
//	[t, "n", "NAME DATA"]  a note: something that is not an event of a terminal, but
//	                       needed to recover a session (messages, input numbers).
//
// An output event contains the bytes of one read from the child, so that a replay takes
// the same steps and reaches the same revisions. Its time counts from the session's start,
// by a monotonic clock, in microseconds. The input of secrets is never logged; a note
// records its length.
//
// A server or replay that begins with a saved state need not read the events before it. A
// state that is missing, damaged or of another version is ignored: the log itself contains
// everything.
//
// A file on disk may end anywhere. Readers ignore an incomplete last line, and lines that
// cannot be read; neither is an error. Log.Damage counts them.
//
// Append never blocks. A Writer collects events in memory, and Flush writes them. A timer
// calls Flush, or with Options.Direct the owner. When writing fails, events are dropped and
// counted until Writer.Rotate can begin a new segment, which it tries every RetryDelay. Status
// reports since when.
package eventlog
