// Package localsock provides Unix sockets for one user. Both sides refuse processes of other
// users, except root's.
//
//	Listen ─▶ directory ours? ─▶ bind, 0600 ─▶ name free, or its socket dead? take it
//	                                        └▶ a server answers? refuse, naming the process
//	Accept ─▶ peer's uid ours? ─▶ connection
//	Dial   ─▶ listener's uid ours? ─▶ connection
//
// Listen connects to an existing socket. If no server answers, the socket is dead: its server was
// killed. A new socket gets its name by a link, which fails if the name is taken, and only one
// server can replace a dead socket. So two servers that start at once cannot both take the path or
// remove each other's file.
//
// In a shared temporary directory, another user may create files first. So Listen checks the
// directory once, keeps it open, and follows no links in it.
package localsock
