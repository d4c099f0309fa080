// Package danger reads what is about to be run, as the program that will run it reads
// it, and says what in it destroys, exposes or hands over what cannot be brought back.
// It has no opinion about terminals, and it runs nothing.
//
//	text, language ─▶ reader of that language ─▶ commands, clauses and calls
//	                                               └▶ rules.txt ─▶ findings
//
// The rules are in rules.txt, one on each line, in the form that users
// write for --danger-rules. The Go code is one engine: readers, and the matching of what
// they read with the rules.
//
// A shell's line becomes a tree (mvdan.cc/sh/v3/syntax), which is walked as a shell would
// walk it: quotes are taken off, known variables expanded, cd is followed, a pipe
// carries what is known of the output before it, and what one program gives another
// to run (sudo, xargs, find -exec, sh -c, ssh, heredocs) is read in its turn. What cannot
// be known without running it stays unknown, and a rule decides what that means: a
// recursive delete of an unknown place is held, a listing of it is not. SQL and programs
// are read as tokens: clauses and calls are matched as commands are, and so is what is done
// to a path, by whatever command, call or redirection. Other languages are regular
// expressions in rules.txt that say which part of a text is a command.
//
// # Where the line is drawn
//
// The working tree is the directory in which the line runs: what is below it is the
// agent's to delete, the whole of it at once is not. Recursive deletes elsewhere are held,
// temporary directories included, unless the line made the directory itself with mktemp,
// or a variable's name says that a script did; caches are their programs' to fill again.
// Writing is held on system paths, devices, other people's files and the dotfiles in the
// home directory. Reading is held for files that hold credentials, not for their names,
// their public halves, or their use by the program they are for. Git is held where work is
// lost that no reflog keeps, or where others' branches are overwritten.
//
// # Bounds
//
// The work is linear in the text, of which maxText bytes are read. It is parsed in pieces
// of maxPiece bytes, nested no deeper than maxDepth, and takes at most maxSteps commands;
// what exceeds a bound is reported as unreadable, never passed in silence. What the check
// cannot see is listed in SECURITY.md.
package danger
