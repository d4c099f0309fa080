package cmdline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A list is a part of a command's description.
type list struct {
	heading string
	items   []item
	brief   bool // only the names are shown in help
	flags   bool
}

// An item is an entry of a list. Its title is the name, with more for a flag.
type item struct{ name, title, text, env string }

// add adds an item to the list with a heading, or to a new list.
func add(lists []list, heading string, it item) []list {
	i := slices.IndexFunc(lists, func(l list) bool { return l.heading == heading })
	if i < 0 {
		i = len(lists)
		lists = append(lists, list{heading: heading})
	}
	lists[i].items = append(lists[i].items, it)
	return lists
}

// commandLists returns the visible commands by group. The groups after the first are brief.
func (c *Command) commandLists() (out []list) {
	for _, child := range c.Commands {
		if !child.Hidden {
			out = add(out, cmp.Or(child.Group, "Commands"), item{name: child.Name, title: child.Name, text: child.Help})
		}
	}
	for i := range out {
		out[i].brief = i > 0
	}
	return out
}

// lists returns the examples, the arguments and the visible flags by group. Flags without a
// group come first.
func (c *Command) lists() (out []list) {
	for _, e := range c.Examples {
		out = add(out, "Examples", item{title: e})
	}
	keys := c.keys()
	for _, k := range keys {
		out = add(out, "Arguments", item{title: k.Name + "=", text: k.Help})
	}
	for _, a := range c.Args {
		if len(keys) == 0 {
			out = add(out, "Arguments", item{title: strings.TrimSpace(argsUsage([]Arg{a})), text: a.Help})
		}
	}
	flags := []list{{heading: "Flags"}}
	for _, f := range c.Flags {
		if !f.Hidden {
			flags = add(flags, cmp.Or(f.Group, "Flags"), item{"--" + f.Name, f.title(), f.Help, f.Env})
		}
	}
	for _, l := range flags {
		if l.flags = true; len(l.items) > 0 {
			out = append(out, l)
		}
	}
	return out
}

// title returns the flag's names and value, as in "-o, --output=FILE".
func (f *Flag) title() string {
	title := "--" + f.Name
	if f.Value != "" {
		title += "=" + f.Value
	}
	if f.Short != "" {
		title = "-" + f.Short + ", " + title
	}
	return title
}

// argsUsage returns the arguments in the usage line of a command.
func argsUsage(args []Arg) string {
	var b strings.Builder
	for _, a := range args {
		name := a.Name
		if a.Many {
			name += " ..."
		}
		if a.Optional {
			name = "[" + name + "]"
		}
		b.WriteString(" " + name)
	}
	return b.String()
}

// paragraphs returns the paragraphs of texts.
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

// lines builds a text.
type lines struct{ strings.Builder }

// linef writes one line, or several.
func (l *lines) linef(format string, args ...any) {
	fmt.Fprintf(&l.Builder, format+"\n", args...)
}
