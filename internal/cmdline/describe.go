package cmdline

import (
	"cmp"
	"strings"
)

// A section is a part of a command's help, with a heading.
type section struct {
	heading string
	items   []item
	brief   bool // help shows only the items' names
}

// An item describes a command, an argument, a flag or an example. The title of a flag includes the
// flag's letter and the placeholder of its value.
type item struct{ name, title, text string }

// addItem adds an item to the section with this heading, or to a new section.
func addItem(lists []section, heading string, it item) []section {
	l := first(lists, func(l *section) bool { return l.heading == heading })
	if l == nil {
		lists = append(lists, section{heading: heading})
		l = &lists[len(lists)-1]
	}
	l.items = append(l.items, it)
	return lists
}

// commandLists returns the visible commands by group. The groups after the first are brief.
func (c *Command) commandLists() (out []section) {
	for _, child := range c.Commands {
		if !child.Hidden {
			out = addItem(out, cmp.Or(child.Group, "Commands"), item{child.Name, child.Name, child.Help})
		}
	}
	for i := range out {
		out[i].brief = i > 0
	}
	return out
}

// argLists returns the examples and the arguments. If the command has Keys, argLists returns these
// instead of Args.
func (c *Command) argLists() (out []section) {
	for _, e := range c.Examples {
		out = addItem(out, "Examples", item{title: e})
	}
	for _, k := range c.Keys {
		out = addItem(out, "Arguments", item{title: k.Name + "=", text: k.Help})
	}
	for _, a := range c.Args {
		if c.Keys == nil {
			out = addItem(out, "Arguments", item{title: a.usage(), text: a.Help})
		}
	}
	return out
}

// flagLists returns the flags by group. Those without a group come first.
func (c *Command) flagLists() []section {
	out := []section{{heading: "Flags"}}
	for _, f := range c.Flags {
		title, text := "--"+f.Name, f.Help
		if f.Value != "" {
			title += "=" + f.Value
		}
		if f.Short != "" {
			title = "-" + f.Short + ", " + title
		}
		if f.Env != "" {
			text = strings.TrimSpace(text + " Environment variable: " + f.Env + ".")
		}
		out = addItem(out, cmp.Or(f.Group, "Flags"), item{"--" + f.Name, title, text})
	}
	if len(out[0].items) == 0 {
		return out[1:]
	}
	return out
}

// usage returns the usage line of the command. name is the command's full name.
func (c *Command) usage(name string) string {
	if len(c.Commands) > 0 {
		return name + " COMMAND"
	}
	if len(c.Flags) > 0 {
		name += " [flags]"
	}
	return name + c.argsUsage()
}

// argsUsage returns the arguments as they appear in the usage line.
func (c *Command) argsUsage() (text string) {
	for _, a := range c.Args {
		text += " " + a.usage()
	}
	return text
}

// usage returns an argument as it appears in the usage line.
func (p *Param) usage() string {
	name := p.Name
	if p.list != nil {
		name += " ..."
	}
	if p.Optional {
		name = "[" + name + "]"
	}
	return name
}

// paragraphs returns the paragraphs of texts, each on one line.
func paragraphs(texts ...string) (out []string) {
	for _, text := range texts {
		for par := range strings.SplitSeq(text, "\n\n") {
			if par = strings.Join(strings.Fields(par), " "); par != "" {
				out = append(out, par)
			}
		}
	}
	return out
}
