// Package localsock provides Unix sockets for one user. Both sides refuse processes of other
// users, except root's.
//
//	Listen ─▶ directory ours? ─▶ bind, 0600 ─▶ name free, or its socket dead? take it
//	                                        └▶ a server answers? refuse, naming the process
//	Accept ─▶ peer's uid ours? ─▶ connection
//	Dial   ─▶ listener's uid ours? ─▶ connection
//
// Listen connects to an existing socket. If no server answers, a killed server has left the
// socket. A new socket gets its name by a link, which fails if the name is taken, and only one
// server can replace a dead socket: two servers that start at once cannot both take the path or
// remove each other's file.
//
// All files are created in an open directory that was checked, without following links in it,
// because in a shared temporary directory another user may have created them first.
package localsock
