// Package session runs programs on pseudo-terminals and lets many callers type
// to them, wait for them and look at them.
//
//	child ─▶ PTY ─▶ readLoop ─▶ emulator.Terminal ─▶ Reply, Snapshot
//	 ▲                              │ replies
//	 │                              ▼
//	PTY ◀─ writeLoop ◀─ input queue ◀─ Type, keys, mouse
//	 │
//	waitLoop: reaps the child, the only one to say that it exited
//
// A Session owns one child, its PTY, its Terminal and all concurrency. One
// mutex guards the state that callers see; nothing blocks under it. A caller
// who waits looks at the state, asks package detect for a verdict, and sleeps
// until the state changes or the verdict's time has come.
//
// What happens is in the child's log (package eventlog) before it is here:
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
