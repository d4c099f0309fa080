package cmdline

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
)

// Man returns the manual page of a program, written with the macros of man(7). The footer shows the
// version. extra contains further sections, each a heading and a text.
func Man(root *Command, version string, extra ...[2]string) string {
	var m manual
	m.linef(`.TH %s 1 "" "%s" "User Commands"`, strings.ToUpper(root.Name), roff(root.Name+" "+version))
	m.linef(".SH NAME\n%s \\- %s", roff(root.Name), roff(strings.TrimSuffix(root.Help, ".")))
	m.linef(".SH SYNOPSIS\n.B %s\n[\\fIcommand\\fR] [\\fIflags\\fR] [\\fIarguments\\fR]", roff(root.Name))
	m.text(root.Detail)
	group := "\x00"
	for _, c := range root.Commands {
		if c.Hidden {
			continue
		}
		if c.Group != group {
			group = c.Group
			m.linef(".SH %s", roff(strings.ToUpper(cmp.Or(group, "Commands"))))
		}
		m.command(root.Name, &c)
	}
	for _, e := range extra {
		m.linef(".SH %s", roff(e[0]))
		m.text(e[1])
	}
	return m.String()
}

// A manual builds a manual page.
type manual struct{ strings.Builder }

// linef writes formatted text and a line feed.
func (m *manual) linef(format string, args ...any) {
	fmt.Fprintf(m, format+"\n", args...)
}

// command writes the section of one command.
func (m *manual) command(program string, c *Command) {
	m.linef(".SS %s %s%s", roff(program), roff(c.Name), roff(c.argsUsage()))
	m.text(c.Help, c.Detail)
	for _, l := range append(c.argLists(), c.flagLists()...) {
		m.linef(".PP\n%s:", roff(l.heading))
		for _, it := range l.items {
			m.linef(".TP\n\\fB%s\\fR", roff(it.title))
			m.text(it.text)
		}
	}
	for _, child := range c.Commands {
		m.command(program+" "+c.Name, &child)
	}
}

// text writes the paragraphs of texts.
func (m *manual) text(texts ...string) {
	for i, par := range paragraphs(texts...) {
		if i > 0 {
			m.linef(".PP")
		}
		m.linef("%s", roff(par))
	}
}

// roff escapes text for roff, so that it contains no escape sequences and does not begin with a
// request. Escaped hyphens can be copied from the manual page into a shell.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ", `"`, `\(dq`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`).Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	var b strings.Builder
	for _, r := range s {
		if r > unicode.MaxASCII {
			fmt.Fprintf(&b, `\[u%04X]`, r) // groff_char(7); not every man reads UTF-8
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
