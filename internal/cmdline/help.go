package cmdline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The size of a help page in columns and rows.
const (
	helpWidth = 80
	helpRows  = 60
)

// The indents of lists, in columns.
const (
	nameIndent = 2
	textIndent = 26
)

// Help returns the help of the command that path names below root: usage, description,
// examples, commands, arguments and flags. If the page would have more than helpRows lines,
// the last groups of flags are shortened to lists of names.
func Help(root *Command, path ...string) string {
	c, name := root, root.Name
	for _, p := range path {
		next := c.find(p)
		if next == nil {
			break
		}
		c, name = next, name+" "+p
	}
	groups := flagGroups(c.Flags)
	for full := len(groups); ; full-- {
		text := c.help(name, groups, full)
		if full <= 1 || strings.Count(text, "\n") <= helpRows {
			return text
		}
	}
}

// A group is the commands, or the flags, under one heading.
type group struct {
	heading string
	items   []item
}

// An item is an entry of a list. Its title is the name, with more for a flag.
type item struct{ name, title, text string }

// grouped adds an item to the group with a heading, or to a new group.
func grouped(groups []group, heading string, it item) []group {
	i := slices.IndexFunc(groups, func(g group) bool { return g.heading == heading })
	if i < 0 {
		i = len(groups)
		groups = append(groups, group{heading: heading})
	}
	groups[i].items = append(groups[i].items, it)
	return groups
}

// flagGroups returns the visible flags by group. Flags without a group come first.
func flagGroups(flags []Flag) []group {
	groups := []group{{heading: "Flags"}}
	for _, f := range flags {
		if !f.Hidden {
			groups = grouped(groups, cmp.Or(f.Group, groups[0].heading), item{"--" + f.Name, f.title(), f.Help})
		}
	}
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.items) == 0 })
}

// commandGroups returns the visible commands by group.
func commandGroups(commands []Command) (groups []group) {
	for _, c := range commands {
		if !c.Hidden {
			groups = grouped(groups, cmp.Or(c.Group, "Commands"), item{c.Name, c.Name, c.Help})
		}
	}
	return groups
}

// help returns the page. The first full groups of flags are listed with their help, the others
// by name.
func (c *Command) help(name string, flags []group, full int) string {
	var p page
	p.paragraph("Usage: " + c.usage(name))
	p.paragraph(c.Help)
	for _, par := range paragraphs(c.Detail) {
		p.paragraph(par)
	}
	if len(c.Examples) > 0 {
		p.heading("Examples")
		for _, e := range c.Examples {
			p.linef("%*s%s", nameIndent, "", e)
		}
	}
	p.groups(commandGroups(c.Commands), 1)
	if len(c.Args) > 0 {
		p.heading("Arguments")
	}
	keys := c.keys()
	for _, a := range c.Args {
		if len(keys) == 0 {
			p.item(strings.TrimSpace(argsUsage([]Arg{a})), a.Help)
		}
	}
	for _, k := range keys {
		p.item(k.Name+"=", k.Help)
	}
	p.groups(flags, full)
	p.footer(c, name)
	return p.String()
}

// usage returns the usage line of the command.
func (c *Command) usage(name string) string {
	if len(c.Commands) > 0 {
		return name + " COMMAND"
	}
	flags := ""
	if len(c.Flags) > 0 {
		flags = " [flags]"
	}
	return name + flags + argsUsage(c.Args)
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

// lines builds a text.
type lines struct{ strings.Builder }

// linef writes one line, or several.
func (l *lines) linef(format string, args ...any) {
	fmt.Fprintf(&l.Builder, format+"\n", args...)
}

// A page builds a help page.
type page struct{ lines }

// paragraph writes text with an empty line before it, unless it is the first.
func (p *page) paragraph(text string) {
	if text == "" {
		return
	}
	if p.Len() > 0 {
		p.linef("")
	}
	p.wrap(text, 0, 0)
}

// heading writes the heading of a list.
func (p *page) heading(text string) {
	p.linef("")
	p.linef("%s:", text)
}

// groups writes the first full groups with their texts, and the names of the others.
func (p *page) groups(groups []group, full int) {
	for i, g := range groups {
		if i < full {
			p.heading(g.heading)
			for _, it := range g.items {
				p.item(it.title, firstSentence(it.text))
			}
			continue
		}
		if i == full {
			p.linef("")
		}
		var names []string
		for _, it := range g.items {
			names = append(names, it.name)
		}
		p.wrap(strings.Join(names, ", "), 0, nameIndent, g.heading+":")
	}
}

// item writes one entry of a list: its name, and the text beside it.
func (p *page) item(name, text string) {
	indent := textIndent
	line := fmt.Sprintf("%*s%s", nameIndent, "", name)
	if len(line)+2 > textIndent {
		p.linef("%s", line)
		p.wrap(text, indent, indent)
		return
	}
	p.wrap(text, indent, indent, line)
}

// wrap writes text in lines of at most helpWidth columns. The first line begins with lead,
// padded to first columns, and the others are indented by rest columns.
func (p *page) wrap(text string, first, rest int, lead ...string) {
	line := strings.Repeat(" ", first)
	if len(lead) > 0 {
		line = fmt.Sprintf("%-*s", max(first, len(lead[0])+1), lead[0])
	}
	begin := len(line)
	for _, word := range strings.Fields(text) {
		switch {
		case len(line) == begin:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > helpWidth:
			p.linef("%s", strings.TrimRight(line, " "))
			line = strings.Repeat(" ", rest) + word
			begin = 0
		default:
			line += " " + word
		}
	}
	p.linef("%s", strings.TrimRight(line, " "))
}

// footer refers to further help.
func (p *page) footer(c *Command, name string) {
	if c.Name == "man" {
		return // the manual itself
	}
	p.linef("")
	program, _, _ := strings.Cut(name, " ")
	switch {
	case len(c.Commands) > 0:
		p.wrap(fmt.Sprintf("%s help COMMAND shows a command's arguments and flags, %s man everything.", program, program), 0, 0)
	case slices.ContainsFunc(c.Flags, func(f Flag) bool { return f.Env != "" }):
		p.wrap(fmt.Sprintf("The manual (%s man) describes every flag in full, and its environment variable.", program), 0, 0)
	default:
		p.wrap(fmt.Sprintf("The manual (%s man) has more.", program), 0, 0)
	}
}

// paragraphs returns the paragraphs of a text.
func paragraphs(text string) []string {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return strings.Split(text, "\n\n")
}

// firstSentence returns the text up to the end of its first sentence. A full stop inside
// parentheses does not end a sentence.
func firstSentence(text string) string {
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case '.':
			if depth <= 0 && strings.HasPrefix(text[i:], ". ") {
				return text[:i+1]
			}
		}
	}
	return text
}
