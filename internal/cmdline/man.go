package cmdline

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
)

// Man returns the manual page of a program with man(7) macros. The footer shows the version.
// extra is further sections, each a heading and a text.
func Man(root *Command, version string, extra ...[2]string) string {
	var m manual
	m.linef(`.TH %s 1 "" "%s" "User Commands"`, strings.ToUpper(root.Name), roff(root.Name+" "+version))
	m.linef(".SH NAME")
	m.linef(`%s \- %s`, roff(root.Name), roff(strings.TrimSuffix(root.Help, ".")))
	m.linef(".SH SYNOPSIS")
	m.linef(`.B %s`, roff(root.Name))
	m.linef(`[\fIcommand\fR] [\fIflags\fR] [\fIarguments\fR]`)
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
		m.command(root.Name, c)
	}
	for _, e := range extra {
		m.linef(".SH %s", roff(e[0]))
		m.text(e[1])
	}
	return m.String()
}

// A manual builds a manual page.
type manual struct{ lines }

// command writes the section of one command.
func (m *manual) command(program string, c Command) {
	m.linef(".SS %s %s%s", roff(program), roff(c.Name), roff(argsUsage(c.Args)))
	m.text(c.Help)
	if c.Detail != "" {
		m.linef(".PP")
		m.text(c.Detail)
	}
	for _, e := range c.Examples {
		m.linef(".PP\n.RS 4\n.nf\n%s\n.fi\n.RE", roff(e))
	}
	for _, child := range c.Commands {
		m.command(program+" "+c.Name, child)
	}
	for _, f := range c.Flags {
		if f.Hidden {
			continue
		}
		m.linef(".TP")
		name := `\fB` + roff("--"+f.Name) + `\fR`
		if f.Short != "" {
			name = `\fB` + roff("-"+f.Short) + `\fR, ` + name
		}
		if f.Value != "" {
			name += ` \fI` + roff(f.Value) + `\fR`
		}
		m.linef("%s", name)
		help := f.Help
		if f.Env != "" {
			help += " Variable: " + f.Env + "."
		}
		m.text(help)
	}
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

// text writes paragraphs.
func (m *manual) text(s string) {
	for i, par := range strings.Split(strings.TrimSpace(s), "\n\n") {
		if i > 0 {
			m.linef(".PP")
		}
		if par != "" {
			m.linef("%s", roff(strings.Join(strings.Fields(par), " ")))
		}
	}
}

// roff escapes text, so that it contains no escapes and no request at the beginning of a line,
// and hyphens can be copied into a shell.
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
