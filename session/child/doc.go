// Package child starts programs on terminals or pipes and owns them: only it reads their
// output, writes their input, and reaps them.
//
//	Owner ─▶ Child ─▶ Read: output and resizes in order, by byte offset
//	                  Write: input of named calls, so that a repeated piece is typed once
//	                  Wait, End: the exit, and the end of every descendant
//
// A Local owns children of this process. Package keeper has an Owner whose children belong to
// another process, which has a Local. This package does not interpret output.
//
// The owner writes output, input, resizes and the exit to the child's log (package eventlog)
// before it passes them on. The session adds notes (Note), and its saved state where a segment
// begins (Event Segment).
//
// When a child is ended, all its descendants are ended too. If the system allows it (FindCgroups),
// each child has a control group, which its processes cannot leave and which is killed as a whole.
// Otherwise the process table shows which processes descend from the child or are in its terminal
// session; orphans, which this process adopts, are recognized by the child's mark.
//
// Limits restrict what a child and its descendants use together. One watcher measures all
// children and kills a process tree that is over a limit; when all have been idle for long, it
// measures twice a minute. If Cgroups.Limits is set, the kernel enforces limits in between.
//
// A Child's events are read and its Log is written in the order in which they happened:
// a replay of the log shows what the reader saw.
package child
