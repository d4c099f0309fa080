// Package eventlog keeps everything that happens to a session in one
// append-only log: the source of its recording, its messages, its history, its
// replay and its recovery.
//
// A log is a run of segments. Each is an asciicast v3 file
// (docs.asciinema.org/manual/asciicast/v3), named by the log offset of its first
// byte, so that offsets never change when the oldest segments go:
//
//	000000000000.cast    header, events
//	000008388711.cast    the next segment
//	000008388711.state   from which the terminal at its start is rebuilt
//	meta.json            what the session is, replaced atomically
//	checkpoint           the session at a place in the log, replaced atomically
//
// A segment ends when it is large or old enough, and where an event was lost
// because the disk was full. Its header carries what must be known of the
// segments before it, under the key "glasstty": log offset, time and output
// bytes since the session began.
//
// Events are those of asciicast: o output, i input, r resize, m marker, x exit.
// Players ignore two codes of our own:
//
//	[t, "b", "N BASE64"]   the exact bytes of the event that follows: its text
//	                       without the first N bytes, then these. It stands
//	                       before output that no text can hold: invalid UTF-8,
//	                       which the text has as U+FFFD, and characters that are
//	                       cut between two reads, which the text of the later
//	                       event has whole.
//	[t, "n", "NAME DATA"]  a note: what is not an event of a terminal, but needed to
//	                       recover a session (messages, numbers of inputs).
//
// One event is what was read from the child at a time, so that a replay takes the same steps
// and comes to the same revisions. Its time is that since the session began by a
// clock that no one can set, in microseconds. Secrets are never given to a log:
// their input is a note of their length.
//
// A checkpoint spares the next server the replay of what came before it: its owner
// writes one now and then, and reads on from its place in the log (Log.From). One
// that is missing, damaged, of another version or of another log is passed over:
// the log has all that is in it.
//
// A file on disk may end anywhere. A last line without its end is
// ignored by readers, and so is a line that cannot be read; neither is an error.
// Log.Damage reports how many there were, and how much is missing.
//
// Writing never blocks who appends. A Writer gathers events in memory, and Flush
// writes them: by a timer, when much has gathered, and after every event where
// the owner wants that. When writing fails, events are dropped and counted until
// a new segment can be begun, which is tried again from time to time (see
// Writer.Due); Status says since when.
package eventlog
