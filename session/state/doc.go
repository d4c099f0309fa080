// Package state is what a session's events make of it: the terminal, what the shell's
// marks have told, what was typed and where its echo is looked for, the prompts that were
// learned.
//
// A State has one writer, Apply, whose only input is the events of the session's log.
// A live session applies each event as it happens; after a restart the next server applies
// the log again, or the rest of it after a saved State (Encode, Decode). All three are
// equal in every bit, but for the times: those of a live session are when it saw an event.
// Notes in the log hold what output does not show: how an input was made
// (eventlog.InputNote), and what was concluded about the program (eventlog.VerdictNote).
//
// Reading finds echoes (Echoes.Resolve) and remembers them. That changes nothing of what
// is found, unless a program erases an echo before anybody has read it.
//
// A State is not safe for concurrent use. It has no lock, clock, goroutine or file: its
// owner guards it.
package state
