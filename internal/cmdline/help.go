package cmdline

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The maximum size of a help page, in columns and rows. A longer page has shortened lists.
const (
	helpWidth = 80
	helpRows  = 60
)

// The indents of lists, in columns.
const (
	nameIndent = 2
	textIndent = 26
)

// Help returns the help of the command that path names below root: usage, description, commands,
// examples, arguments and flags. An unknown name in path ends the path. If the page has more than
// helpRows lines, Help shortens groups of flags to lists of names, from the last group to the second.
func Help(root *Command, path ...string) string {
	c, name := root, root.Name
	for _, p := range path {
		next := c.Find(p)
		if next == nil {
			break
		}
		c, name = next, name+" "+p
	}
	lists, flags := append(c.commandLists(), c.argLists()...), c.flagLists()
	text := c.help(name, append(lists, flags...))
	for i := len(flags) - 1; i > 0 && strings.Count(text, "\n") > helpRows; i-- {
		flags[i].brief = true
		text = c.help(name, append(lists, flags...))
	}
	return text
}

// help returns the help page of c. name is the full name of c.
func (c *Command) help(name string, lists []section) string {
	text := wrapped("Usage: ", nameIndent, c.usage(name))
	for _, par := range paragraphs(c.Help, c.Detail) {
		text += "\n" + wrapped("", 0, par)
	}
	for i, l := range lists {
		if !l.brief || !lists[i-1].brief {
			text += "\n"
		}
		if l.brief {
			var names []string
			for _, it := range l.items {
				names = append(names, it.name)
			}
			text += wrapped(l.heading+": ", nameIndent, strings.Join(names, ", "))
			continue
		}
		text += l.heading + ":\n"
		for _, it := range l.items {
			text += it.help()
		}
	}
	program, _, _ := strings.Cut(name, " ")
	footer := fmt.Sprintf("The manual (%s man) has more.", program)
	if len(c.Commands) > 0 {
		footer = fmt.Sprintf("%s help COMMAND shows a command's arguments and flags, %[1]s man everything.", program)
	}
	return text + "\n" + wrapped("", 0, footer)
}

// help returns the title, and beside or below it the first sentence of the text.
func (it item) help() string {
	lead := strings.Repeat(" ", nameIndent) + it.title
	text, _, more := strings.Cut(it.text, ". ")
	switch {
	case text == "":
		return lead + "\n"
	case more:
		text += "."
	}
	if len(lead)+2 > textIndent {
		return lead + "\n" + wrapped(strings.Repeat(" ", textIndent), textIndent, text)
	}
	return wrapped(fmt.Sprintf("%-*s", textIndent, lead), textIndent, text)
}

// wrapped returns text in lines of at most helpWidth characters, without breaking words. The first
// line begins with lead, and the others are indented.
func wrapped(lead string, indent int, text string) string {
	var b strings.Builder
	line := lead
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case utf8.RuneCountInString(line+" "+word) > helpWidth:
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", indent) + word
		default:
			line += " " + word
		}
	}
	return b.String() + line + "\n"
}
