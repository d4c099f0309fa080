package cmdline

import (
	"fmt"
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

// Help returns the help of the command that path names below root: usage, description, commands,
// examples, arguments and flags. If the page would have more than helpRows lines, the last groups
// of flags are shortened to lists of names.
func Help(root *Command, path ...string) string {
	c, name := root, root.Name
	for _, p := range path {
		next := c.find(p)
		if next == nil {
			break
		}
		c, name = next, name+" "+p
	}
	lists := append(c.commandLists(), c.lists()...)
	text := c.help(name, lists)
	for i := len(lists) - 1; i > 0 && lists[i-1].flags && strings.Count(text, "\n") > helpRows; i-- {
		lists[i].brief = true
		text = c.help(name, lists)
	}
	return text
}

// help returns the page.
func (c *Command) help(name string, lists []list) string {
	var p page
	p.wrap("Usage: ", nameIndent, c.usage(name))
	for _, par := range paragraphs(c.Help, c.Detail) {
		p.linef("")
		p.wrap("", 0, par)
	}
	for i, l := range lists {
		if !l.brief || !lists[i-1].brief {
			p.linef("")
		}
		if l.brief {
			var names []string
			for _, it := range l.items {
				names = append(names, it.name)
			}
			p.wrap(l.heading+": ", nameIndent, strings.Join(names, ", "))
			continue
		}
		p.linef("%s:", l.heading)
		for _, it := range l.items {
			p.item(it.title, firstSentence(it.text))
		}
	}
	program, _, _ := strings.Cut(name, " ")
	footer := fmt.Sprintf("The manual (%s man) has more.", program)
	if len(c.Commands) > 0 {
		footer = fmt.Sprintf("%s help COMMAND shows a command's arguments and flags, %[1]s man everything.", program)
	}
	p.linef("")
	p.wrap("", 0, footer)
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

// A page builds a help page.
type page struct{ lines }

// item writes one entry of a list: its title, and the text beside or below it.
func (p *page) item(title, text string) {
	lead := fmt.Sprintf("%*s%-*s", nameIndent, "", textIndent-nameIndent, title)
	if text == "" || len(title)+2 > textIndent-nameIndent {
		p.linef("%s", strings.TrimRight(lead, " "))
		lead = strings.Repeat(" ", textIndent)
	}
	if text != "" {
		p.wrap(lead, textIndent, text)
	}
}

// wrap writes text in lines of at most helpWidth columns. The first line begins with lead, and
// the others are indented.
func (p *page) wrap(lead string, indent int, text string) {
	line := lead
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case utf8.RuneCountInString(line+" "+word) > helpWidth:
			p.linef("%s", line)
			line = strings.Repeat(" ", indent) + word
		default:
			line += " " + word
		}
	}
	p.linef("%s", line)
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
