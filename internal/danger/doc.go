// Package danger reads what is about to be run, as the program that will run it
// reads it, and says what in it destroys, exposes or hands over what cannot be
// brought back. It has no opinion about terminals, and it runs nothing.
//
//	text, language ─▶ reader of that language ─▶ commands with their words
//	                                               └▶ rules ─▶ findings
//
// A shell's line becomes a tree (mvdan.cc/sh/v3/syntax), which is walked as a
// shell would walk it: quotes are taken off, braces and known variables expanded,
// cd is followed, a pipe carries what is known of the output before it, and what
// one program gives another to run (sudo, xargs, find -exec, sh -c, ssh, eval,
// heredocs) is read in its turn. What cannot be known without running it stays
// unknown, and a rule decides what that means: a recursive delete of an unknown
// place is held, a listing of it is not. Text that is no whole command is read by
// its words.
//
// SQL, and the languages of Python, Node, Ruby and Perl, are read as tokens:
// strings and comments are told from words, variables get the values that the text
// gives them, and calls that delete, write, read or run are judged by the same rules as
// a shell's commands. Perl's reader stands for the other languages, whose usual calls
// have the same names.
//
// What many programs do alike is in tables, and holds for all that are in them, however
// their options are written: wrappers (the command is the rest of the words), runners
// (it is the value of an option, or behind a word), outputOptions and operandWriters
// (what is written), destroyWords (words that destroy what a tool manages), interpreters
// and calls, secretFiles. A program in none of them is read by what such words and
// options usually mean: stranger and destroysByName. What a program does in a way of its
// own is in the functions that judge returns.
//
// # Where the line is drawn
//
// The working tree is the directory in which the line runs: what is below it is
// the agent's to delete, the whole of it at once is not. Recursive deletes
// elsewhere are held, temporary directories included, unless the line made the
// directory itself with mktemp, or a variable's name says that a script did; caches in
// the home directory are their programs' to fill again. Writing is held on system paths,
// devices, other people's files and the dotfiles in the home directory. Reading is held for
// files that hold credentials, not for their names, their public halves, or their
// use by the program they are for. Git is held where work is lost that no reflog
// keeps, or where others' branches are overwritten.
//
// # Bounds
//
// The work is linear in the text: it is parsed in pieces of maxPiece bytes, nested
// no deeper than maxDepth, and takes at most maxSteps commands; what exceeds
// a bound is reported as unreadable, never passed in silence. What the check cannot
// see is listed in SECURITY.md.
package danger
