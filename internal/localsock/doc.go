// Package localsock provides Unix sockets for one user. Both sides refuse processes of other
// users.
//
//	Listen ─▶ directory ours? ─▶ a server answers? refuse, naming the process
//	                          └▶ socket dead? remove ─▶ bind, 0600
//	Accept ─▶ peer's uid ours? ─▶ connection
//	Dial   ─▶ listener's uid ours? ─▶ connection
//
// Listen connects to an existing socket. If no server answers, a killed server has left the
// socket. Only one server at a time checks and binds, so that two servers that start at once
// cannot both take the path or remove each other's file.
//
// All files are created in an open directory that was checked, without following links in it,
// because in a shared temporary directory another user may have created them first.
package localsock
