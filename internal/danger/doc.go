// Package danger reads a text that is about to be run, as the program that will run it
// does, and reports what in it destroys or exposes things irrecoverably. It does not
// depend on terminals, and it runs nothing.
//
//	text, language ─▶ reader of that language ─▶ commands, clauses and calls
//	                                               └▶ rules.txt ─▶ findings
//
// The rules are in rules.txt, one per line, in the form that users write for
// --danger-rules. The Go code is one engine: readers, and the matching of the result with
// the rules.
//
// A shell line becomes a tree (mvdan.cc/sh/v3/syntax), which is walked as a shell would
// walk it: quotes are removed, known variables expanded, cd is followed, a pipe carries
// what is known about the output before it, and commands that one program gives another to
// run (sudo, xargs, find -exec, sh -c, ssh, heredocs) are read in turn. What cannot be
// known without running it stays unknown, and a rule decides what that means: a recursive
// delete of an unknown place is held, a listing of it is not. SQL and programs are read as
// tokens: clauses and calls are matched like commands, and so are effects on paths, by any
// command, call or redirection. For other languages, regular expressions in rules.txt say
// which part of a text is a command.
//
// # What is held
//
// The working tree is the directory in which the line runs: the agent may delete what is
// below it, but not all of it at once. Recursive deletes elsewhere are held, temporary
// directories included, unless the line made the directory itself with mktemp, or the name of
// the variable with its path says that a script did. Caches may be deleted: programs refill them.
// Writing is held on system paths, devices, other people's files and the dotfiles in the
// home directory. Reading is held for files that contain credentials, but not for their
// names, their public halves, or their use by their own program. Git commands are held if
// they lose work that no reflog keeps, or overwrite other people's branches.
//
// # Limits
//
// The work is linear in the text, of which maxText bytes are read. It is parsed in pieces
// of maxPiece bytes, nested no deeper than maxDepth. It takes at most maxSteps units of work,
// and one more for each byte. Anything beyond a limit is reported as unreadable, never passed
// silently. What the check cannot see is listed in SECURITY.md.
package danger
