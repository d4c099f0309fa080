package cliref

// A Command is a program, or one of its commands.
type Command struct {
	Name     string
	Help     string // one sentence
	Detail   string // more, paragraphs apart by a blank line
	Group    string // heading under which it is listed; "" is the first
	Hidden   bool
	Flags    []Flag
	Args     []Arg
	Commands []Command
}

// A Flag is a flag, --Name.
type Flag struct {
	Name   string
	Short  string // one letter, or ""
	Help   string
	Value  string   // what stands for the value; "" when it takes none
	Env    string   // the variable that stands for it
	Words  []string // the values that there are; nil when any goes
	Hidden bool
}

// An Arg is a positional argument.
type Arg struct {
	Name     string
	Help     string
	Optional bool
	Many     bool     // it may be repeated; the last one only
	Words    []string // the values that there are, or begin with; nil when any goes
}

// find returns a command's command with a name, nil when there is none.
func (c *Command) find(name string) *Command {
	for i := range c.Commands {
		if c.Commands[i].Name == name {
			return &c.Commands[i]
		}
	}
	return nil
}
