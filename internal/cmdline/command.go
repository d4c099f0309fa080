package cmdline

import "reflect"

// A Command is a program, or one of its commands.
type Command struct {
	Name     string
	Help     string   // one sentence
	Detail   string   // longer description; paragraphs are separated by a blank line
	Group    string   // heading under which it is listed; "" is the first
	Examples []string // command lines, as typed
	Hidden   bool
	Default  bool // runs when no command is named
	Flags    []Flag
	Args     []Arg
	Keys     func() []Arg // if not nil, the last argument is a repeated key=value; returns the keys, as Name
	Commands []Command
	Target   any // a pointer to the struct that Parse fills in
}

// A Flag is a flag, --Name.
type Flag struct {
	Name   string
	Short  string   // one letter, or ""
	Help   string   // the first sentence is the short help
	Group  string   // heading under which it is listed; "" is the first
	Value  string   // the placeholder of the value; "" for a flag without a value
	Env    string   // the environment variable
	Words  []string // the allowed values; nil for any
	Hidden bool

	domain
	target   reflect.Value
	usual    string // the default; "" is the zero value
	required bool
}

// An Arg is a positional argument.
type Arg struct {
	Name     string
	Help     string
	Optional bool
	Many     bool     // may be repeated; only for the last one
	Words    []string // the allowed values or their beginnings; nil for any

	domain
	target      reflect.Value
	passthrough bool // takes all words from its first one on, flags too
}

// HelpFlag returns the flag that asks for help. As a flag of the program it works for all
// commands.
func HelpFlag() Flag { return Flag{Name: "help", Short: "h", Help: "Show context-sensitive help."} }

// Has reports whether c has a command with a name.
func (c *Command) Has(name string) bool { return c.find(name) != nil }

// find returns the command of c with a name, or nil.
func (c *Command) find(name string) *Command {
	for i := range c.Commands {
		if c.Commands[i].Name == name {
			return &c.Commands[i]
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

// keys calls c.Keys, or returns nil if there is none.
func (c *Command) keys() []Arg {
	if c.Keys == nil {
		return nil
	}
	return c.Keys()
}
