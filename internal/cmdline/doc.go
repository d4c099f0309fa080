// Package cmdline is a program's command line: it reads arguments, completes them for a
// shell, and describes them in help and in a manual page. All of it comes from one
// struct, whose fields are commands, flags and arguments.
//
//	struct with tags ─▶ New ─▶ Command ─▶ Parse ─▶ the struct, filled in
//	                                   ├▶ Complete ─▶ shell
//	                                   ├▶ Help ─▶ terminal
//	                                   └▶ Man ─▶ roff
//
// The tags of a field:
//
//	cmd          a command: a struct with its flags and arguments, or with commands
//	arg          an argument; one that is a []string takes all that come
//	name         its name; otherwise the field's, in lower case with hyphens
//	help         one sentence; ${default} and the names that New is given are replaced
//	group        the heading for the flags of an embedded struct
//	hidden       not in help and completion
//	default      the value, as it would be typed; for a command: it runs where none is named
//	placeholder  stands for a flag's value in help
//	env          the variable that gives a flag its value
//	short        a flag's letter
//	enum         the values that there are, with commas between them
//	negatable    a flag --x has --no-x too
//	xor          of the flags with the same word, one may be given
//	required     a flag that must be given
//	optional     an argument that may be left out
//	passthrough  an argument that takes everything from the first word on, flags too
//
// A field's type is a bool, a string, a []string, which takes commas, or has the method
// UnmarshalText. A type that has IsBool needs no value. The values that a type's Words
// method returns are offered for completion, as those of an enum are.
//
// It is our own package because the libraries that do this find methods by their names,
// through reflection: with one of these in a program, Go's linker keeps every exported
// method, which are 2 MB of this one.
package cmdline
