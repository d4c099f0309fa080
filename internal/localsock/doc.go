// Package localsock is a unix socket for one user: only the processes of the
// user who listens get through, on both sides.
//
//	Listen ─▶ directory ours? ─▶ somebody answers? refuse, naming him
//	                          └▶ left behind? removed ─▶ bind, 0600
//	Accept ─▶ peer's uid ours? ─▶ connection
//	Dial   ─▶ listener's uid ours? ─▶ connection
//
// A socket file that a killed server left behind is told from a living one by
// connecting to it: nobody answers. Looking and binding happen under a lock on
// the directory, so that two servers that start at once cannot both take the
// path, nor one remove the other's file.
package localsock
