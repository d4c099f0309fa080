package cmdline

import "reflect"

// A Command is a program, or one of its commands.
type Command struct {
	Name     string
	Help     string   // one sentence
	Detail   string   // longer description; paragraphs are separated by a blank line
	Group    string   // heading under which the command is listed; "" for "Commands"
	Examples []string // command lines, as typed
	Hidden   bool     // not in help, the manual page and completions
	Default  bool     // runs when its parent is given without a command's name
	Flags    []Param
	Args     []Param
	Keys     []Param // if the last argument is a list of key=value, its known keys, which are the Names
	Commands []Command
	Target   any // a pointer to the struct that Parse fills in
}

// A Param is a flag, --Name, or a positional argument.
type Param struct {
	Name     string
	Short    string   // a flag's letter, or ""
	Help     string   // the first sentence is the short help
	Group    string   // heading under which a flag is listed; "" for "Flags"
	Value    string   // the placeholder of a flag's value; "" for a flag that needs none
	Env      string   // a flag's environment variable
	Words    []string // the values for completion; nil if any value is allowed
	Optional bool     // the argument may be left out

	target      reflect.Value
	enum        bool      // a string must be one of Words
	list        *[]string // the target if it is a []string, else nil; an argument may then be repeated
	defaultText string    // the default, as typed; "" for the zero value
	bare        string    // the value of a flag that is given without a value; "" if it needs a value
	passthrough bool      // the argument takes all remaining words, including flags
	min, max    float64   // limits of a number; infinite if there is none
	unit        string    // the unit of a number, for errors
	off         string    // the number that the words off and 0 stand for; "" if they are ordinary values
}

// Find returns the command of c with a name, or nil.
func (c *Command) Find(name string) *Command {
	return first(c.Commands, func(child *Command) bool { return child.Name == name })
}

// defaultCommand returns the command of c that runs when none is named, or nil.
func (c *Command) defaultCommand() *Command {
	return first(c.Commands, func(child *Command) bool { return child.Default })
}

// flag returns the flag that word names, as in --output or -o, or nil.
func (c *Command) flag(word string) *Param {
	return first(c.Flags, func(f *Param) bool { return word == "--"+f.Name || f.Short != "" && word == "-"+f.Short })
}

// first returns the first element for which match returns true, or nil.
func first[T any](all []T, match func(*T) bool) *T {
	for i := range all {
		if match(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// names returns the names of the commands of c.
func (c *Command) names() (names []string) {
	for _, child := range c.Commands {
		names = append(names, child.Name)
	}
	return names
}
