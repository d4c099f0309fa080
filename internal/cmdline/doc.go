// Package cmdline implements a program's command line: it parses arguments, completes them for a
// shell, and describes them in help and in a manual page. The fields of one struct define the
// commands, flags and arguments.
//
//	struct with tags ─▶ New ─▶ Command ─▶ Parse ─▶ the struct, filled in
//	                                   ├▶ Complete ─▶ shell
//	                                   ├▶ Help ─▶ terminal
//	                                   └▶ Man ─▶ roff
//
// The tags of a field:
//
//	cmd          a command: a struct with its flags and arguments, or with commands
//	arg          an argument; a []string takes all remaining arguments
//	name         the name (default: the field's, in lower case with hyphens)
//	help         the description; lists in help show only its first sentence. ${default} and
//	             ${words} (not for commands) and the variables of New are replaced
//	group        the heading for the flags of an embedded struct
//	hidden       a command that is left out of help, the manual page and completion
//	default      the default value, as typed; on a command: it runs when no command is named
//	placeholder  the word for a flag's value in help
//	env          the variable that gives a flag its value
//	short        a flag's letter
//	bare         the value of a flag that is given without one
//	enum         the values for completion, separated by commas; a string must be one of them
//	words        the values for completion; other values are allowed too
//	min, max     the limits of a number
//	unit         the unit of a number, for errors
//	off          the number that the words off and 0 stand for
//	optional     an argument that may be left out
//	passthrough  an argument that takes all remaining words, including flags
//
// --no-x sets a bool flag --x to false. The type of a field is bool, string, int, float64, []string
// (its values are separated by commas), or a type with the method UnmarshalText. Every command has
// the flags --help and -h.
//
// Some libraries for this task (kong, cobra, urfave/cli) find methods by name through reflection.
// That makes Go's linker keep every exported method of the program, which adds 2 MB. With the
// others (pflag, ff, go-flags, go-arg), we would still have to write the help, the sources of values
// and most errors ourselves.
package cmdline
