// Package localsock is a unix socket for one user: only the processes of the
// user who listens get through, on both sides.
//
//	Listen ─▶ directory ours? ─▶ somebody answers? refuse, naming the process
//	                          └▶ left behind? removed ─▶ bind, 0600
//	Accept ─▶ peer's uid ours? ─▶ connection
//	Dial   ─▶ listener's uid ours? ─▶ connection
//
// A socket file that a killed server left behind is told from a living one by
// connecting to it: nobody answers. One server at a time looks and binds, so that two
// that start at once cannot both take the path, nor one remove the other's file.
//
// All files are made in one opened directory that was checked, and links in it are
// not followed: in a directory for temporary files another user may have been first.
package localsock
