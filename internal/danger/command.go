package danger

import (
	"path"
	"regexp"
	"strings"
)

// A command is a simple command with its arguments, and what it reads.
type command struct {
	*shell
	name string
	args []field // without the name
	in   stream
}

// options are the flags of a command: letters and long names, with the last
// value of those that have one.
type options map[string]string

// has reports whether one of the flags was given.
func (o options) has(names ...string) bool {
	for _, n := range names {
		if _, ok := o[n]; ok {
			return true
		}
	}
	return false
}

// split tells options from operands. The letters of valued take a value, as do
// the long options named in long.
func (c *command) split(valued string, long ...string) (options, []field) {
	return splitArgs(c.args, valued, false, long...)
}

// splitArgs is split for any words; first stops at the first operand, as the
// commands do that run another command.
func splitArgs(args []field, valued string, first bool, long ...string) (options, []field) {
	opts := options{}
	var operands []field
	for i := 0; i < len(args); i++ {
		a := args[i].s
		switch {
		case a == "--":
			return opts, append(operands, args[i+1:]...)
		case strings.HasPrefix(a, "--"):
			name, val, ok := strings.Cut(a[2:], "=")
			if !ok && contains(long, name) && i+1 < len(args) {
				i++
				val = args[i].s
			}
			opts[name] = val
		case len(a) > 1 && a[0] == '-':
			for j := 1; j < len(a); j++ {
				letter := a[j : j+1]
				opts[letter] = ""
				if strings.Contains(valued, letter) {
					if opts[letter] = a[j+1:]; opts[letter] == "" && i+1 < len(args) {
						i++
						opts[letter] = args[i].s
					}
					break
				}
			}
		case first:
			return opts, args[i:]
		default:
			operands = append(operands, args[i])
		}
	}
	return opts, operands
}

// contains reports whether list holds s.
func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// run judges a command and returns what is known of its output.
func (s *shell) run(args []field, in stream) stream {
	for len(args) > 0 && (args[0].s == "" || isAssignment(args[0].s)) {
		args = args[1:]
	}
	if len(args) == 0 || !s.k.step() {
		return stream{}
	}
	if s.k.ran != nil {
		s.k.ran(args)
	}
	c := &command{shell: s, name: programName(args[0].s), args: args[1:], in: in}
	switch {
	case strings.ContainsRune(args[0].s, unknown):
		c.computed(args[0])
		return stream{}
	case s.fetched[path.Clean(args[0].s)], strings.Contains(args[0].s, "/") && s.downloaded(args[0].s):
		s.k.add("remote", joined(args), "runs what it has just downloaded")
	case strings.Contains(args[0].s, "/") && s.runsWritten(Shell, args[0].s):
	case strings.HasPrefix(args[0].s, "!") && len(args[0].s) > 1, args[0].s[0] == '^' && strings.Count(args[0].s, "^") > 1:
		s.k.add("unreadable", args[0].s, "runs a line of the shell's history that cannot be seen here")
	}
	c.always()
	if wrap, ok := wrappers[c.name]; ok {
		return c.wrapped(wrap)
	}
	if loaderName.MatchString(c.name) {
		return loads(c)
	}
	c.readsOperands()
	if f := judge(c.name); f != nil {
		return f(c)
	}
	if in, ok := interpreterOf(c.name); ok {
		return c.interpret(in)
	}
	c.stranger()
	c.destroysByName()
	return c.through()
}

// always judges what is the same for all programs, by the tables: what they run, write
// and destroy by their words and options.
func (c *command) always() {
	if evaluating[c.name] {
		for _, a := range c.args {
			c.subscripts(a.s)
		}
	}
	c.upload(c)
	c.runsOptions()
	c.destroys()
	c.writesOptions()
	c.writesOperands()
}

// programName returns the name of the program that a word starts.
func programName(word string) string {
	if ownExe.MatchString(word) {
		return "bash"
	}
	word = strings.TrimPrefix(word, "=") // zsh's =rm
	return guessed(base(strings.ReplaceAll(word, string(unknown), "")))
}

// ownExe finds the shell's own program: /proc/self/exe.
var ownExe = regexp.MustCompile(`^/proc/(?:self|thread-self|[0-9]+)/exe$`)

// through is the output of a command that may pass on what it reads.
func (c *command) through() stream {
	t := c.in.taint
	for _, a := range c.args {
		if a.src != nil {
			t |= a.src.taint
		}
	}
	return stream{taint: t}
}

// isAssignment reports whether a word that stands before a command sets a
// variable: what is left of a line that could not be parsed.
func isAssignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) < 0
}

// guessed returns the command that a name with a pattern may stand for: /b??/r?.
func guessed(name string) string {
	if !strings.ContainsAny(name, "*?[") {
		return name
	}
	for _, n := range []string{"rm", "dd", "shutdown", "reboot", "shred", "wipefs", "cat", "chmod", "chown"} {
		if ok, err := path.Match(name, n); ok && err == nil {
			return n
		}
	}
	return name
}

// computed judges a command whose name cannot be read.
func (c *command) computed(name field) {
	if name.src != nil && name.src.taint&(fromNet|fromCode) != 0 {
		c.k.add("remote", name.s, "runs what it has downloaded or decoded")
	}
	opts, operands := c.split("")
	if !opts.has("r", "R", "recursive") || !opts.has("f", "force") {
		return
	}
	for _, o := range operands {
		if sp := c.spot(o.s); sp.kind != atInside && sp.kind != atMade {
			c.k.add("delete", joined(c.args), "a command whose name cannot be read, with what a recursive delete would be given")
		}
	}
}

// rest returns the arguments as words of their own, from i on.
func (c *command) from(i int) []field {
	if i >= len(c.args) {
		return nil
	}
	return c.args[i:]
}

// arg returns argument i, "" when there is none.
func (c *command) arg(i int) string {
	if i < len(c.args) {
		return c.args[i].s
	}
	return ""
}

// any reports whether one of the arguments is one of the words.
func (c *command) any(words ...string) bool {
	for _, a := range c.args {
		if contains(words, a.s) {
			return true
		}
	}
	return false
}

// line returns the command as text.
func (c *command) line() string { return c.name + " " + joined(c.args) }

// judge returns what judges a command that needs more than a look at its
// operands, nil when there is none.
func judge(name string) func(*command) stream {
	for _, area := range []func(string) func(*command) stream{
		runRule, windowsRule, fileRule, diskRule, machineRule, secretRule, netRule, gitRule, cloudRule, clientRule,
	} {
		if f := area(name); f != nil {
			return f
		}
	}
	return nil
}
