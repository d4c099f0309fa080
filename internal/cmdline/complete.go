package cmdline

import (
	"slices"
	"strings"
)

// A Candidate is a completion of a word.
type Candidate struct{ Text, Help string }

// Files is the text of a Candidate that asks the shell to complete file names.
const Files = ":files"

// Complete returns the completions of the last word. words are the words after the program's name;
// the last may be empty. Like Parse, Complete sets the Targets of the commands from words.
func Complete(root *Command, words []string) []Candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	word := words[len(words)-1]
	p := root.parser(words[:len(words)-1])
	for len(p.words) > 0 {
		_ = p.word(p.next()) // Parse reports the error when the command runs
	}
	return slices.DeleteFunc(p.candidates(word), func(c Candidate) bool {
		return c.Text != Files && !strings.HasPrefix(c.Text, word)
	})
}

// candidates returns the possible next words. word is the part of the next word that has been typed.
func (p *parser) candidates(word string) (out []Candidate) {
	c := p.Command
	name, _, given := strings.Cut(word, "=")
	switch f := c.flag(name); {
	case p.literal:
		return []Candidate{{Text: Files}}
	case p.awaiting != nil:
		return p.awaiting.values()
	case f != nil && given:
		for _, w := range f.Words {
			out = append(out, Candidate{Text: name + "=" + w})
		}
	case strings.HasPrefix(word, "-"):
		out = append(out, Candidate{"--help", "Show help."})
		for _, f := range c.Flags {
			out = append(out, Candidate{"--" + f.Name, f.Help})
		}
	case p.args == 0 && len(c.Commands) > 0:
		for _, child := range c.Commands {
			if !child.Hidden {
				out = append(out, Candidate{child.Name, child.Help})
			}
		}
	case p.args < len(c.Args)-1 || p.args < len(c.Args) && c.Keys == nil:
		return c.Args[p.args].values()
	case p.args < len(c.Args):
		for _, k := range c.Keys {
			out = append(out, Candidate{Text: k.Name + "="})
		}
	}
	return out
}

// values returns the values for completion, or Files if any value is allowed.
func (p *Param) values() (out []Candidate) {
	if p.Words == nil {
		return []Candidate{{Text: Files}}
	}
	for _, w := range p.Words {
		out = append(out, Candidate{Text: w})
	}
	return out
}
