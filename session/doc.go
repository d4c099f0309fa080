// Package session runs programs on pseudo-terminals and lets many callers type
// to them, wait for them and look at them.
//
//	child ─▶ PTY ─▶ readLoop ─▶ emulator.Terminal ─▶ Reply, Snapshot
//	 ▲                              │ replies
//	 │                              ▼
//	PTY ◀── writer ◀── input queue ◀─ Type, keys, mouse
//	 │
//	waitLoop: reaps the child; only it reports the exit
//
// A Session owns one child, its PTY, its Terminal and the goroutines that use them. One mutex
// guards the state that callers see; nothing blocks while the mutex is locked. A waiting call
// gathers evidence from the state, asks package detect for a verdict, and sleeps until the state
// changes or until the time that the verdict gives.
//
// Input is typed as a person types (package input, feeder.go, package ready). Many programs take
// the bytes of one read for one key or for a paste, update a filtered list after each read, or
// drop waiting input when they open a dialog. A tool call therefore types to a program in raw mode
// in bursts. Text, keys and Enter are separate bursts, and the first characters of a text are typed
// one by one until the screen shows them in a field. Each burst is sent after the program has
// reacted to the previous burst:
//
//   - the program has read the burst: nothing is left in the terminal's input (FIONREAD on the
//     slave side);
//   - the program has handled the burst: the foreground process group sleeps, and one of its
//     threads waits for the terminal again (package kernel);
//   - before and after Enter, and in other cases (see ready.BetweenBursts), the timers that the
//     program has set since the call began, and that fire within 300 ms, have fired;
//   - if another process may do the work (a socket, another program of a pipeline), or if the
//     kernel does not show whether the work is done, the program has stopped drawing.
//
// Each wait has a limit, named in ready/burst.go. Except around a paste or an interrupt, three kinds of
// input are typed without these waits: input in line mode, a person's input, and input to a line
// editor, which is recognized by its shell's marks or by bracketed paste at a known prompt.
//
// Output is logged (package eventlog) before the session applies it; input is applied just before
// it is written and logged. Recordings, messages and the screen at a past moment (package replay)
// are read from the log. A session whose server was killed is rebuilt from its log, and is then
// lost (Manager.AddLost). If the child outlives the server, the next server rebuilds the session
// (Manager.TakeOver) from the state saved where the latest segment of the log begins, and from the
// rest of the log. Only the latest contents of messages are kept in memory.
//
// Limits bound what a session may use. Input, output and kept lines are counted as they are read,
// typed or stored. A goroutine ends the session when its lifetime is over (life.go). The owner of
// its processes (package child) measures what they use, even while no server is running. An error
// or a note about a limit names the limit, its value and how to raise it.
//
// The Manager owns the set of sessions. Methods that wait end with their context.
package session
