// Package keeper lets children outlive the server that uses them.
//
//	server ◀─ unix socket ─▶ keeper ─▶ PTYs, logs, children
//	Owner: a child.Owner     Keeper: serves a child.Local
//
// A keeper is a process of its own, started by the first server that needs one.
// It owns the children: it alone reads and writes their terminals, reaps them,
// adopts what they leave behind, and has every byte in the log before a server
// sees it. It knows no terminal emulation and no MCP, so there is little in it
// that could fail or would have to be replaced by a newer version.
//
// It serves one server at a time, on a socket in the data directory that only
// its user can reach. When the server's connection ends, however that happens,
// the keeper goes on reading, so that no child waits; the next server is told
// of all children, rebuilds its sessions from the logs up to the byte at which
// its stream begins, and carries on. A server that comes while another one is
// connected is refused, unless it says that it replaces it: then the other one
// is told so and loses the connection.
//
// While a server is connected a child may be at most window bytes ahead of it;
// then it waits, as it would for a slow terminal.
//
// The server gets a copy of each terminal's master (SCM_RIGHTS) to ask the kernel
// with, and never reads or writes it. How far the keeper has read it finds in
// shared memory (child.Gauge).
//
// A keeper ends when it has no living child and no server for IdleLimit. When it
// is killed, the server lets go of the terminals, whose programs are hung up
// (SIGHUP) as when a terminal window is closed; their sessions are lost, and new
// ones get a new keeper.
//
// A server that has taken over is not an ancestor of the programs. Where the system lets
// only ancestors look into a process (Yama's ptrace_scope 1, and the server is not
// root), such a server does not see what a program waits for: marks, prompts and
// pauses decide then, as on macOS, and the sessions say so.
//
// In stdio mode there is no keeper, and nobody to end what outlives a server that
// is killed: its programs are hung up on as their terminals close, and those that
// ignore that go on. PR_SET_PDEATHSIG would not help: it follows a thread of the
// parent, which Go may end at any time, and reaches no grandchild.
//
// The wire is a sequence of frames, each with a length, a kind, a child's number
// and a request's number. It has a version; a keeper of another version is
// refused by name, and goes on with its children for servers of its own version.
package keeper
