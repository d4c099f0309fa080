// Package session runs programs on pseudo-terminals and lets many callers type
// to them, wait for them and look at them.
//
//	child ─▶ PTY ─▶ readLoop ─▶ emulator.Terminal ─▶ Reply, Snapshot
//	 ▲                              │ replies
//	 │                              ▼
//	PTY ◀── writer ◀── input queue ◀─ Type, keys, mouse
//	 │
//	waitLoop: reaps the child, the only one to say that it exited
//
// A Session owns one child, its PTY, its Terminal and all concurrency. One
// mutex guards the state that callers see; nothing blocks under it. A caller
// who waits looks at the state, asks package detect for a verdict, and sleeps
// until the state changes or the verdict's time has come.
//
// Input is typed as a person types (package input, feeder.go, package ready). Many programs
// take what one read gives them for one key or for a paste, filter a list after they
// have read, or drop what waits in their input when they open a dialog. A tool call to
// a program in raw mode therefore goes in bursts: text, then Enter, then each key, and
// the first characters of a text until the screen shows them in a field. Each burst
// waits until the program has reacted to the one before:
//
//   - it has read it: nothing is left in the terminal's input (FIONREAD of the slave);
//   - it has handled it: the group sleeps, and one of its threads waits for the
//     terminal again (package kernel);
//   - before Enter, and after it, also what it does by timers: one that was not there
//     before the call and is due within 300 ms is waited for;
//   - where somebody else may do the work (a socket, another program of a pipeline), or
//     where the kernel does not tell, what it draws has come to rest.
//
// Each wait has a bound, named in ready/burst.go. What is typed at once as before: input in
// line mode; a person's; and a line editor's, known by its shell's marks or by taking
// over the terminal (bracketed paste) at a known prompt.
//
// An event is in the child's log (package eventlog) before the session applies it:
// recording, messages and the screen at a past moment (package replay) are read
// from it, and a session whose server was killed is rebuilt from it as lost
// (Manager.Adopt). A session whose child outlives the server is rebuilt by the next
// one (Manager.TakeOver): from the latest checkpoint, which is made in the pauses of
// its output, and from what the log has since then. Messages keep only their latest
// contents in memory.
//
// A session may use what Limits allow. What is only counted here (input, output,
// lines kept) is counted where it passes; a session whose time is over (life.go) is
// ended by a goroutine of its own, which sleeps until then; what its processes use is
// measured by their owner (package child), also while there is no server. Whatever
// is refused, cut off or ended so names the limit, its value and how it is raised.
//
// The Manager owns the set of sessions. Its calls, and the Session's, take and
// return plain values and end with their context.
package session
