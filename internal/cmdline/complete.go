package cmdline

import (
	"slices"
	"strings"
)

// A Candidate is a completion of a word.
type Candidate struct{ Text, Help string }

// Files is the text of a Candidate that asks the shell to complete file names.
const Files = ":files"

// Complete returns the completions of the last of words, the words after the program's name.
// The last word may be empty. It sets the Targets of the commands as Parse does.
func Complete(root *Command, words []string) []Candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	word := words[len(words)-1]
	p := root.parser(words[:len(words)-1])
	for len(p.words) > 0 {
		next, args := p.next(), p.args
		if p.word(next) != nil && !strings.HasPrefix(next, "-") && p.args == args {
			p.args++ // Parse reports the error when the command runs
		}
	}
	return p.complete(word)
}

// complete returns the completions of the next word.
func (p *parser) complete(word string) []Candidate {
	return slices.DeleteFunc(p.candidates(word), func(c Candidate) bool {
		return c.Text != Files && !strings.HasPrefix(c.Text, word)
	})
}

// candidates returns what the next word may be, given how it begins.
func (p *parser) candidates(word string) []Candidate {
	c := p.line.Command
	name, _, given := strings.Cut(word, "=")
	switch {
	case p.literal:
		return []Candidate{{Text: Files}}
	case p.open != nil:
		return oneOf("", p.open.Words)
	case strings.HasPrefix(word, "--") && given:
		f := p.flag(func(f *Flag) bool { return "--"+f.Name == name })
		if f == nil || f.Words == nil {
			return nil
		}
		return oneOf(name+"=", f.Words)
	case strings.HasPrefix(word, "-"):
		return p.flags()
	case p.args == 0 && len(c.Commands) > 0:
		return c.commands()
	}
	if n := min(p.args, len(c.Args)-1); n >= 0 && (n == p.args || c.Args[n].Many) {
		return oneOf("", c.argWords(n))
	}
	return nil
}

// argWords returns the allowed values of the n'th argument, or their beginnings. It returns
// nil if any value is allowed.
func (c *Command) argWords(n int) []string {
	keys := c.keys()
	if n < len(c.Args)-1 || len(keys) == 0 {
		return c.Args[n].Words
	}
	var out []string
	for _, k := range keys {
		out = append(out, k.Name+"=")
	}
	return out
}

// flags returns the visible flags.
func (p *parser) flags() (out []Candidate) {
	flags := p.root.Flags
	if p.line.Command != p.root {
		flags = slices.Concat(flags, p.line.Command.Flags)
	}
	for _, f := range flags {
		if !f.Hidden {
			out = append(out, Candidate{"--" + f.Name, f.Help})
		}
	}
	return out
}

// commands returns the visible commands.
func (c *Command) commands() (out []Candidate) {
	for _, child := range c.Commands {
		if !child.Hidden {
			out = append(out, Candidate{child.Name, child.Help})
		}
	}
	return out
}

// oneOf returns the words, each with lead added in front. If words is nil, it returns Files.
func oneOf(lead string, words []string) (out []Candidate) {
	if words == nil {
		return []Candidate{{Text: Files}}
	}
	for _, w := range words {
		out = append(out, Candidate{Text: lead + w})
	}
	return out
}
