package cmdline

import "reflect"

// A Command is a program, or one of its commands.
type Command struct {
	Name     string
	Help     string   // one sentence
	Detail   string   // more, paragraphs apart by a blank line
	Group    string   // heading under which it is listed; "" is the first
	Examples []string // command lines, as typed
	Hidden   bool
	Default  bool // runs where no command is named
	Flags    []Flag
	Args     []Arg
	Keys     func() []Arg // what the last argument, a repeated key=value, may be; Name is the key
	Commands []Command
	Target   any // the pointer to what Parse fills in
}

// A Flag is a flag, --Name.
type Flag struct {
	Name   string
	Short  string   // one letter, or ""
	Help   string   // the first sentence is the short help
	Group  string   // heading under which it is listed; "" is the first
	Value  string   // what stands for the value; "" when it takes none
	Env    string   // the variable that stands for it
	Words  []string // the values that there are; nil when any goes
	Hidden bool

	domain
	target    reflect.Value
	usual     string // the value when nothing gives one; "" is the zero value
	negatable bool
	required  bool
	xor       string
}

// An Arg is a positional argument.
type Arg struct {
	Name     string
	Help     string
	Optional bool
	Many     bool     // it may be repeated; the last one only
	Words    []string // the values that there are, or begin with; nil when any goes

	domain
	target      reflect.Value
	passthrough bool
}

// HelpFlag is the flag that asks for help. A program that has it has it for all of its
// commands.
func HelpFlag() Flag { return Flag{Name: "help", Short: "h", Help: "Show context-sensitive help."} }

// Has reports whether one of c's commands has a name.
func (c *Command) Has(name string) bool { return c.find(name) != nil }

// find returns a command's command with a name, nil when there is none.
func (c *Command) find(name string) *Command {
	for i := range c.Commands {
		if c.Commands[i].Name == name {
			return &c.Commands[i]
		}
	}
	return nil
}

// keys returns what Keys does, nil without.
func (c *Command) keys() []Arg {
	if c.Keys == nil {
		return nil
	}
	return c.Keys()
}
