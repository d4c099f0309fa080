// Package danger reads text that a program is about to run, in the way that program reads it, and
// reports what the text would irrecoverably destroy or expose. Callers hold such text: they ask for
// confirmation before it runs. The package does not depend on terminals, and runs nothing.
//
//	text, language ─▶ reader of that language ─▶ commands, clauses and calls
//	                                               └▶ rules.txt ─▶ findings
//
// The rules are in rules.txt, one per line, in the form that users write for --danger-rules. The Go
// code is one engine: readers, and the matching of the result with the rules.
//
// A shell line becomes a tree (mvdan.cc/sh/v3/syntax), which is read as a shell would run it:
// quotes are removed, known variables expanded, cd is followed, a pipe carries what is known about
// the output before it, and commands that one program gives another to run (sudo, xargs, find
// -exec, sh -c, ssh, heredocs) are read in turn. A value that is known only when the line runs
// stays unknown, and the rules decide what that means: a recursive delete of an unknown path is
// held, a listing of one is not. SQL and programs are read as tokens, and their clauses and calls
// are matched with the rules like commands. Each effect on a path is matched too. For other
// languages, regular expressions in rules.txt say which part of a text is a command.
//
// # What is held
//
// The working tree is the directory in which the line runs: the agent may delete what is below it,
// but not all of it at once. Recursive deletes elsewhere are held, even in temporary directories,
// unless the line makes the directory with mktemp, or the path is the value of a variable with a
// name such as tmpdir. Caches may be deleted: programs refill them. Writing to system paths,
// devices, other people's files and the dotfiles in the home directory is held. Reading files that
// contain credentials is held, but not listing their names, reading public keys, or using
// credentials in their own program. Git commands are held if they lose work that no reflog keeps,
// overwrite or delete branches of a remote repository, or rewrite the history.
//
// # Limits
//
// The work is linear in the length of the text. At most maxText bytes are read, in addition to
// heredocs that a shell does not expand. They are parsed in pieces of at most maxPiece bytes. A
// check does at most maxSteps units of work, and one more for each byte. Text beyond these limits is
// reported as unreadable. Values beyond other limits, such as the length of a variable's value, are
// unknown or ignored. SECURITY.md lists what the check cannot see.
package danger
