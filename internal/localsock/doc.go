// Package localsock provides Unix sockets for one user: both sides refuse processes of other
// users.
//
//	Listen ─▶ directory ours? ─▶ a server answers? refuse, naming the process
//	                          └▶ left behind? removed ─▶ bind, 0600
//	Accept ─▶ peer's uid ours? ─▶ connection
//	Dial   ─▶ listener's uid ours? ─▶ connection
//
// Listen connects to an existing socket to find out whether a killed server has left it
// behind: then no server answers. Only one server at a time checks and binds, so that two
// servers that start at once cannot both take the path, or remove each other's file.
//
// All files are made in an open directory that was checked, without following links in it:
// in a directory for temporary files another user may have made them first.
package localsock
