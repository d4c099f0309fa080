// Package child starts programs on terminals or pipes and owns them: only this package reads their
// output, writes their input, and reaps them.
//
//	Owner ─▶ Child ─▶ Read: output, resizes and new log segments, in order
//	                  Write: input of named calls, so that a repeated piece is typed once
//	                  Wait, End: the exit, and the end of every descendant
//
// A Local owns children of this process. Package keeper has an Owner whose children belong to
// a separate process, which has a Local. This package does not interpret output.
//
// The owner writes output, input, resizes and the exit to the child's log (package eventlog)
// before passing them on. The session adds notes (Note), and its saved state where a segment
// begins (Event Segment).
//
// When a child is ended, all its descendants are ended too. If the system allows it (FindCgroups),
// each child has a control group, which its processes cannot leave and which is killed as a whole.
// Otherwise the process table shows which processes descend from the child or are in its terminal
// session. This process adopts orphans, and recognizes them by the child's mark, a number in the
// kernel that descendants inherit.
//
// Limits restrict what a child and its descendants use together. One watcher measures all children
// and kills a process tree that is over a limit. When all have been idle for long, the watcher
// measures twice a minute. If Cgroups.Limits is set, the kernel also limits memory and threads.
//
// Read returns events in the order in which the log has them: a replay shows what the reader saw.
package child
