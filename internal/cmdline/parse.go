package cmdline

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"

	"github.com/glasstty/glasstty/internal/nearest"
)

// A Source returns the value of a flag that neither the command line nor an environment variable
// sets. text is the value as it would be typed. from names the source; it is "" if the source has no
// value.
type Source func(c *Command, f *Param) (text, from string, err error)

// A Line is a parsed command line.
type Line struct {
	Command *Command          // the selected command
	Path    []string          // the names of Command's parents, without the program, and of Command
	From    map[string]string // the sources of the command's flags by name; no entry for a default
	Help    bool              // help was requested; later words were not parsed, and flags not on the command line not set
}

// FromFlag is the prefix of the entries of Line.From for flags on the command line.
const FromFlag = "flag --"

// Parse parses arguments into the Target of the command that they name. It takes the value of a flag
// from the first of these that has one: args, the flag's environment variable, other, the default.
func (c *Command) Parse(args []string, other Source) (*Line, error) {
	p := c.parser(args)
	for len(p.words) > 0 && !p.Help {
		if err := p.word(p.next()); err != nil {
			return nil, err
		}
	}
	if p.Help {
		return &p.Line, nil
	}
	if d := p.Command.defaultCommand(); d != nil {
		p.enter(d)
	}
	if err := p.checkMissing(); err != nil {
		return nil, err
	}
	return &p.Line, p.setRemaining(other)
}

// parser returns a parser of words.
func (c *Command) parser(words []string) *parser {
	return &parser{Line: Line{Command: c, From: map[string]string{}}, root: c, words: words}
}

// A parser reads one command line.
type parser struct {
	Line
	root     *Command
	words    []string // the words that are not parsed yet
	args     int      // index in Command.Args of the argument that the next word belongs to
	literal  bool     // "--" was read, so that all words that follow are arguments
	awaiting *Param   // if the last word is a flag whose value is missing, this flag; else nil
}

// next returns the next word.
func (p *parser) next() string {
	word := p.words[0]
	p.words = p.words[1:]
	return word
}

// name returns the full name of the current command.
func (p *parser) name() string { return strings.Join(append([]string{p.root.Name}, p.Path...), " ") }

// suggest returns the end of an error about an unknown word: the nearest candidate, or how to get
// help.
func (p *parser) suggest(word string, candidates []string) string {
	return nearest.Suggest(word, candidates, "; see "+p.name()+" --help")
}

// enter selects c, a subcommand of the current command.
func (p *parser) enter(c *Command) {
	p.Command, p.Path = c, append(p.Path, c.Name)
}

// word parses one word.
func (p *parser) word(word string) error {
	p.awaiting = nil
	switch {
	case p.literal, word == "-", !strings.HasPrefix(word, "-"):
		return p.arg(word)
	case word == "--":
		p.literal = true
		return nil
	case word == "--help", word == "-h":
		p.Help = true
		return nil
	}
	if d := p.Command.defaultCommand(); d != nil {
		p.enter(d)
	}
	return p.flag(word)
}

// arg parses an argument or the name of a command.
func (p *parser) arg(word string) error {
	c := p.Command
	if p.args < len(c.Args) {
		switch a := &c.Args[p.args]; {
		case a.passthrough:
			*a.list = append([]string{word}, p.words...)
			p.words = nil
			return nil
		case a.list != nil:
			*a.list = append(*a.list, word)
			return nil
		default:
			p.args++
			return a.set(word)
		}
	}
	if next := c.Find(word); next != nil {
		p.enter(next)
		return nil
	}
	if d := c.defaultCommand(); d != nil && len(d.Args) > 0 {
		p.enter(d)
		return p.arg(word)
	}
	p.args++ // after this error, Complete goes on, and must not offer commands
	if c.Default && p.root.Find(word) != nil {
		return fmt.Errorf("unexpected argument %s; if it is the command, write it before the flags", word)
	}
	return fmt.Errorf("unexpected argument %s%s", word, p.suggest(word, c.names()))
}

// flag parses a flag, as in --name, --no-name, --name=value or -n.
func (p *parser) flag(word string) error {
	name, value, given := strings.Cut(word, "=")
	f := p.Command.flag(name)
	if no, ok := strings.CutPrefix(name, "--no-"); f == nil && ok {
		f = p.Command.flag("--" + no)
		switch {
		case f == nil:
		case f.target.Kind() != reflect.Bool:
			f = nil
		case given:
			return fmt.Errorf("%s takes no value; write %[1]s or --%s", name, no)
		}
		value, given = "false", true
	}
	switch {
	case f == nil:
		names := []string{"--help"}
		for _, f := range p.Command.Flags {
			names = append(names, "--"+f.Name)
		}
		return fmt.Errorf("unknown flag %s%s", name, p.suggest(name, names))
	case given:
	case f.bare != "":
		value = f.bare
	case len(p.words) == 0, isFlag(p.words[0]):
		p.awaiting = f
		return fmt.Errorf("--%s: the value is missing: --%[1]s=%s", f.Name, f.Value)
	default:
		value = p.next()
	}
	if p.From[f.Name] == "" {
		p.From[f.Name] = FromFlag + f.Name
		f.target.SetZero()
	}
	if err := f.set(value); err != nil {
		return fmt.Errorf("--%s: %w", f.Name, err)
	}
	return nil
}

// isFlag reports whether a word is a flag. A negative number is not a flag.
func isFlag(word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return strings.HasPrefix(word, "-") && word != "-" && err != nil
}

// checkMissing returns an error if a required argument or command is missing.
func (p *parser) checkMissing() error {
	c := p.Command
	for i := p.args; i < len(c.Args); i++ {
		if a := &c.Args[i]; !a.Optional && (a.list == nil || len(*a.list) == 0) {
			return fmt.Errorf("missing argument: %s; usage: %s", a.Name, c.usage(p.name()))
		}
	}
	if len(c.Commands) > 0 {
		return fmt.Errorf("missing command: %s", strings.Join(c.names(), " or "))
	}
	return nil
}

// setRemaining sets the flags that are not on the command line, as Parse describes.
func (p *parser) setRemaining(other Source) error {
	for i := range p.Command.Flags {
		f := &p.Command.Flags[i]
		if p.From[f.Name] != "" {
			continue
		}
		var err error
		text, from := os.Getenv(f.Env), f.Env
		if text == "" {
			text, from, err = other(p.Command, f)
		}
		switch {
		case from == "" && f.defaultText == "":
			continue
		case from == "":
			text = f.defaultText
		default:
			p.From[f.Name] = from
		}
		if err == nil {
			err = f.set(text)
		}
		if err != nil {
			return fmt.Errorf("--%s: %w (from %s)", f.Name, err, cmp.Or(from, "its default"))
		}
	}
	return nil
}
