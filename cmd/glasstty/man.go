package main

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/internal/cmdline"
)

// manualText holds the longer descriptions and the examples of the commands. The name of a section is
// that of a command or, in capitals, of a section at the end of the manual page.
//
//go:embed manual.txt
var manualText string

// A section is a description, whose paragraphs are separated by blank lines, and examples.
type section struct {
	text     string
	examples []string
}

// manual returns the sections of manualText by name, such as "fleet drain".
var manual = sync.OnceValue(func() map[string]section {
	all := map[string]section{}
	for part := range strings.SplitSeq("\n"+manualText, "\n# ") {
		var s section
		name, text, _ := strings.Cut(part, "\n")
		for line := range strings.Lines(text) {
			if example, ok := strings.CutPrefix(line, "    "); ok {
				s.examples = append(s.examples, strings.TrimSpace(example))
			} else {
				s.text += line
			}
		}
		all[name] = s
	}
	return all
})

// addManual adds the manual's sections to c and its subcommands. path is the full name of c, such as
// "fleet drain", or "" for the root command.
func addManual(c *cmdline.Command, path string) {
	s := manual()[path]
	c.Detail, c.Examples = cmp.Or(c.Detail, s.text), s.examples
	for i := range c.Commands {
		addManual(&c.Commands[i], strings.TrimSpace(path+" "+c.Commands[i].Name))
	}
}

// manCmd prints the manual page.
type manCmd struct{}

func (manCmd) run(_ context.Context, std stdio) error {
	var last [][2]string
	for _, name := range []string{"EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES"} {
		last = append(last, [2]string{name, manual()[name].text})
	}
	_, err := fmt.Fprint(std.out, cmdline.Man(programWithTools(), version(), last...))
	return err
}
