// Package keeper lets children outlive the server that uses them.
//
//	server ◀─ unix socket ─▶ keeper ─▶ PTYs, logs, children
//	Owner: a child.Owner     Keeper: serves a child.Local
//
// A keeper is a separate process, started by the first server that needs one. It owns the children:
// only the keeper reads and writes their terminals, reaps them and adopts their orphans. It logs
// every byte before a server sees the byte. It contains neither a terminal emulator nor MCP, so
// little in it can fail or need an update.
//
// The keeper serves one server at a time, on a socket in the data directory that only its user can
// reach. When the server's connection ends, the keeper continues to read, so that no child blocks.
// The next server gets a list of all children. For each child it rebuilds the session from the log
// up to the byte at which the child's stream begins, and from the session's kept state
// (child.Child.Keep). While a server is connected, the keeper refuses another one, unless that one
// asks to replace the first. In that case the keeper notifies the first server and disconnects it.
//
// If a connected server has not acknowledged window bytes of a child's output, the keeper stops
// reading from the child, and the child blocks, as it would on a slow terminal.
//
// The server gets a copy of each terminal's master (SCM_RIGHTS) to query the kernel, and never reads
// or writes the copy. Shared memory shows how far the keeper has read (child.Gauge).
//
// A keeper ends when a server disconnects and leaves no children, or when there has been no
// running child and no server for 30 seconds. If the keeper is killed, the server closes the
// terminals, and the kernel hangs up the programs (SIGHUP), as when a terminal window is closed.
// The sessions are lost; new sessions get a new keeper.
//
// A server that finds a keeper of an earlier server is not an ancestor of the programs. If the system
// allows only ancestors to inspect a process (Yama's ptrace_scope 1, and the server is not root),
// such a server cannot see what a program waits for. It relies on marks, prompts and pauses instead,
// as on macOS, and the sessions report that.
//
// In stdio mode there is no keeper. If the server is killed, the kernel hangs up its programs,
// because their terminals close, and programs that ignore SIGHUP continue. PR_SET_PDEATHSIG would
// not help: it depends on a thread of the parent, which Go may end at any time, and does not reach
// grandchildren.
//
// The protocol is a sequence of messages, encoded by package gob. The protocol has a version. If the
// keeper has another version than a server, connecting fails with ErrVersion. The keeper continues
// to serve servers of its own version.
package keeper
