// Package state derives a session's state from its events: the terminal, the shell's marks, what
// was typed and where its echo may be, the learned prompts, and the messages.
//
// Apply changes a State. Its only input is the events of the session's log. Skip is for output that
// is missing from the log. A live session applies each event as it happens. After a restart, the
// next server applies the whole log, or decodes a saved State (Encode, Decode, eventlog.SaveState)
// and applies the rest of the log. All three ways lead to equal States, except for the times at which
// a live session saw the events. Notes in the log record what output does not show: how an input was
// made (eventlog.InputNote), and what was concluded about the program (eventlog.VerdictNote). What
// does not follow from the log is in the kept state instead (child.Child.Keep).
//
// Reading the output finds the echoes of typed text (Echoes.Resolve) and stores them. The result does
// not depend on the time of the read, unless a program erases an echo before the first read.
//
// A State is not safe for concurrent use. It has no lock, clock, goroutine or file.
package state
