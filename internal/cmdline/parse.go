package cmdline

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/glasstty/glasstty/internal/nearest"
)

// A Source returns the value of a flag that neither the command line nor a variable sets, as
// setAny accepts it, and a name for where the value comes from. from is "" if there is no
// value.
type Source func(c *Command, f *Flag) (value any, from string)

// A Line is a parsed command line.
type Line struct {
	Command *Command          // the selected command
	Path    []string          // the names of Command's parents and its own, without the program's
	From    map[string]string // the sources of the command's flags by name; no entry for a default
	Help    bool              // help was requested; nothing else was checked
}

// Parse reads arguments into the Target of the command that they name. The value of a flag
// comes from the arguments, or else from its variable, from other, or from its default.
func (c *Command) Parse(args []string, other Source) (*Line, error) {
	p := c.parser(args)
	for len(p.words) > 0 {
		if err := p.word(p.next()); err != nil {
			return nil, err
		}
	}
	if d := p.line.Command.byDefault(); d != nil && !p.line.Help {
		p.enter(d)
	}
	if p.line.Help {
		return &p.line, nil
	}
	if err := p.missing(); err != nil {
		return nil, err
	}
	return &p.line, p.rest(other)
}

// parser returns a parser of words.
func (c *Command) parser(words []string) *parser {
	return &parser{root: c, line: Line{Command: c, From: map[string]string{}}, words: words}
}

// byDefault returns the command of c that runs when none is named, or nil.
func (c *Command) byDefault() *Command {
	for i := range c.Commands {
		if c.Commands[i].Default {
			return &c.Commands[i]
		}
	}
	return nil
}

// A parser reads one command line.
type parser struct {
	root    *Command
	line    Line
	words   []string // unread
	args    int      // number of arguments of the command so far
	literal bool     // after "--"
	implied string   // the name of the flag that has selected the default command
	open    *Flag    // the last word, whose value is missing; or nil
}

// next returns the next word.
func (p *parser) next() string {
	word := p.words[0]
	p.words = p.words[1:]
	return word
}

// enter selects c, a command of the current one.
func (p *parser) enter(c *Command) {
	p.line.Command, p.line.Path = c, append(p.line.Path, c.Name)
}

// word parses one word.
func (p *parser) word(word string) error {
	switch {
	case p.literal, word == "-", !strings.HasPrefix(word, "-"):
		return p.arg(word)
	case word == "--":
		p.literal = true
		if c := p.line.Command; p.args < len(c.Args) && c.Args[p.args].passthrough {
			return p.arg(word)
		}
		return nil
	case strings.HasPrefix(word, "--"):
		return p.long(word[2:])
	}
	return p.short(word[1:])
}

// arg parses an argument or the name of a command.
func (p *parser) arg(word string) error {
	c := p.line.Command
	if p.args < len(c.Args) {
		a := &c.Args[p.args]
		if a.passthrough {
			a.add(append([]string{word}, p.words...)...)
			p.words = nil
			return nil
		}
		if a.Many {
			a.add(word)
			return nil
		}
		p.args++
		return a.set(a.target, word)
	}
	if next := c.find(word); next != nil {
		p.enter(next)
		return nil
	}
	if d := c.byDefault(); c != p.root && d != nil && len(d.Args) > 0 {
		p.enter(d)
		return p.arg(word)
	}
	if p.implied != "" && p.root.find(word) != nil {
		return fmt.Errorf("write flags after the command: %s --%s", word, p.implied)
	}
	return fmt.Errorf("unexpected argument %s%s", word, meant("", nearest.Word(word, c.names())))
}

// meant returns the end of an error that suggests word with the prefix before, or "" if word
// is "".
func meant(before, word string) string {
	if word == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", before+word)
}

// long parses a flag without its hyphens, as in name or name=value.
func (p *parser) long(word string) error {
	name, value, has := strings.Cut(word, "=")
	if f := p.flag(func(f *Flag) bool { return f.Name == name }); f != nil {
		return p.give(f, value, has)
	}
	var names []string
	no, isNo := strings.CutPrefix(name, "no-")
	f := p.flag(func(f *Flag) bool {
		names = append(names, f.Name)
		return isNo && f.Name == no && f.target.Kind() == reflect.Bool
	})
	if f == nil || has {
		return fmt.Errorf("unknown flag --%s%s", name, meant("--", nearest.Word(name, names)))
	}
	return p.give(f, "false", true)
}

// short parses one-letter flags; the last one may have a value.
func (p *parser) short(letters string) error {
	for letters != "" {
		letter := letters[:1]
		letters = letters[1:]
		f := p.flag(func(f *Flag) bool { return f.Short == letter })
		if f == nil {
			return fmt.Errorf("unknown flag -%s", letter)
		}
		value, has := "", false
		if f.Value != "" && letters != "" {
			value, has, letters = letters, true, ""
		}
		if err := p.give(f, value, has); err != nil {
			return err
		}
	}
	return nil
}

// flag returns the first flag for which is returns true, of the program, the current command
// or its default command, or nil. If the flag is the default command's, flag selects that
// command.
func (p *parser) flag(is func(*Flag) bool) *Flag {
	c := p.line.Command
	for _, from := range []*Command{p.root, c, c.byDefault()} {
		if from == nil {
			continue
		}
		for i := range from.Flags {
			if f := &from.Flags[i]; is(f) {
				if from != p.root && from != c {
					p.enter(from)
					p.implied = f.Name
				}
				return f
			}
		}
	}
	return nil
}

// give sets a flag to value. If has is false, the value is the next word, or true for a flag
// without a value.
func (p *parser) give(f *Flag, value string, has bool) error {
	switch {
	case !f.target.IsValid():
		p.line.Help = true
		return nil
	case has:
	case f.Value == "":
		value = "true"
	case len(p.words) == 0:
		p.open = f
		return fmt.Errorf("--%s: the value is missing: --%s=%s", f.Name, f.Name, f.Value)
	case strings.HasPrefix(p.words[0], "-") && p.words[0] != "-":
		return fmt.Errorf("--%s: the value is missing; if it is %s, write --%s=%[2]s", f.Name, p.words[0], f.Name)
	default:
		value = p.next()
	}
	if !p.given(f) {
		p.line.From[f.Name] = FromFlag + f.Name
		f.target.SetZero()
	}
	return f.named(f.set(f.target, value))
}

// FromFlag is the prefix of the entries of Line.From for flags on the command line.
const FromFlag = "flag --"

// given reports whether a flag is on the command line.
func (p *parser) given(f *Flag) bool { return p.line.From[f.Name] != "" }

// named adds f's name to an error about its value. It returns nil for nil.
func (f *Flag) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--%s: %w", f.Name, err)
}

// missing returns an error if a required argument, command or flag is missing.
func (p *parser) missing() error {
	c := p.line.Command
	for i := p.args; i < len(c.Args); i++ {
		if a := &c.Args[i]; !a.Optional && (!a.Many || a.target.Len() == 0) {
			name := strings.Join(append([]string{p.root.Name}, p.line.Path...), " ")
			return fmt.Errorf("missing argument: %s; usage: %s", a.Name, c.usage(name))
		}
	}
	if len(c.Commands) > 0 {
		return fmt.Errorf("missing command: %s", strings.Join(c.names(), " or "))
	}
	for i := range c.Flags {
		if f := &c.Flags[i]; f.required && !p.given(f) {
			return fmt.Errorf("missing flag: --%s=%s", f.Name, f.Value)
		}
	}
	return nil
}

// rest sets the flags that are not on the command line.
func (p *parser) rest(other Source) error {
	c := p.line.Command
	for i := range c.Flags {
		f := &c.Flags[i]
		if p.given(f) {
			continue
		}
		text, ok := os.LookupEnv(f.Env)
		value, from, shown := any(text), f.Env, fmt.Sprintf("%s=%q", f.Env, text)
		if !ok || f.Env == "" {
			value, from = other(c, f)
			shown = from
		}
		switch {
		case from != "":
			if err := f.setAny(f.target, value); err != nil {
				return fmt.Errorf("%w (from %s)", f.named(err), shown)
			}
			p.line.From[f.Name] = from
		case f.usual != "":
			if err := f.set(f.target, f.usual); err != nil {
				return f.named(err)
			}
		}
	}
	return nil
}
