// Package child starts programs on terminals or pipes and owns them: it alone
// reads what they write, writes what they read, and reaps them.
//
//	Owner ─▶ Child ─▶ Read: output and resizes in order, by byte offset
//	                  Write: numbered input, a repeated piece is not typed twice
//	                  Wait, End: the exit, and the end of every descendant
//
// A Local owns children of this process. Package keeper has an Owner whose
// children belong to another process, by the same code: there a Local runs on
// the other side. Nothing here knows what a screen is.
//
// The owner writes the child's log (package eventlog), and what is in it was
// written before anybody else sees it: output, input, resizes and the exit. What
// only the session knows it adds by Note, and by the state of the terminal where
// a segment begins (Event Turn).
//
// All that a child has started is ended with it, and counted for its Limits. Where the
// system lets it, each child has a control group of its own (Grouping), which nothing
// in it leaves and which is killed as a whole. Otherwise the process table tells: who
// descends from the child or is in its terminal session; and of the orphans, which this
// process adopts, who has the child's mark. FindGrouping says which it is.
//
// Limits bound what a child and its descendants use together. One watcher of
// all children measures them, and kills the tree that is over a limit; where all is at
// rest it looks twice a minute. A group with limits is kept within them by the kernel
// meanwhile.
//
// The order of what happens is the order in which a Child's events are read and
// its Log is written: whoever replays a log sees what the reader saw.
package child
