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
// examples, commands, arguments and flags. In a page of more than 60 lines, the last groups of
// commands and flags become lists of names, which the manual describes.
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

// A flagGroup is the flags under one heading.
type flagGroup struct {
	heading string
	flags   []Flag
}

// flagGroups returns the visible flags by their groups, those without one first.
func flagGroups(flags []Flag) []flagGroup {
	groups := []flagGroup{{heading: "Flags"}}
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		heading := f.Group
		if heading == "" {
			heading = groups[0].heading
		}
		i := slices.IndexFunc(groups, func(g flagGroup) bool { return g.heading == heading })
		if i < 0 {
			i = len(groups)
			groups = append(groups, flagGroup{heading: heading})
		}
		groups[i].flags = append(groups[i].flags, f)
	}
	return slices.DeleteFunc(groups, func(g flagGroup) bool { return len(g.flags) == 0 })
}

// help returns the page, with the first full groups of flags in full.
func (c *Command) help(name string, groups []flagGroup, full int) string {
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
	p.commands(c.Commands)
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
	for i, g := range groups {
		if i == full {
			p.linef("")
		}
		if i < full {
			p.heading(g.heading)
			for _, f := range g.flags {
				p.item(f.title(), firstSentence(f.Help))
			}
			continue
		}
		var names []string
		for _, f := range g.flags {
			names = append(names, "--"+f.Name)
		}
		p.names(g.heading, names)
	}
	p.footer(c, name)
	return p.String()
}

// usage returns the command's form in one line.
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

// title returns the flag as it is listed.
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

// A page is a help page in the making.
type page struct{ strings.Builder }

// linef writes one line.
func (p *page) linef(format string, args ...any) {
	fmt.Fprintf(&p.Builder, format+"\n", args...)
}

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

// heading begins a list.
func (p *page) heading(text string) {
	p.linef("")
	p.linef("%s:", text)
}

// commands writes the commands of the first group with their help, and the names of the
// others.
func (p *page) commands(commands []Command) {
	var headings []string
	names := map[string][]string{}
	for _, c := range commands {
		if c.Hidden {
			continue
		}
		if !slices.Contains(headings, c.Group) {
			headings = append(headings, c.Group)
			if len(headings) == 1 {
				p.heading(cmp.Or(c.Group, "Commands"))
			}
		}
		if c.Group == headings[0] {
			p.item(c.Name, firstSentence(c.Help))
		}
		names[c.Group] = append(names[c.Group], c.Name)
	}
	for i, h := range headings {
		if i > 0 {
			p.linef("")
			p.names(h, names[h])
		}
	}
}

// names writes a list of names after their heading.
func (p *page) names(heading string, names []string) {
	p.wrap(strings.Join(names, ", "), 0, nameIndent, heading+":")
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

// wrap writes text in lines of at most helpWidth columns: the first is indented by
// first columns, or begins with lead, and the others by rest.
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

// firstSentence returns the text up to the end of its first sentence. A full stop
// inside parentheses ends none.
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
