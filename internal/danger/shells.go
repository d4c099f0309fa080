package danger

import (
	"regexp"
	"strings"
)

// shells are the programs that read a shell's language.
var shells = map[string]bool{
	"sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, "mksh": true, "ash": true, "fish": true,
	"rbash": true, "csh": true, "tcsh": true, "yash": true, "oksh": true, "elvish": true, "nu": true,
}

// macroCalls finds what m4 gives to a shell.
var macroCalls = regexp.MustCompile("e?syscmd\\(`?([^)']*)")

// aShell is a shell: it reads -c, a file, or what is piped in.
func (c *command) aShell() stream {
	for len(c.args) > 1 && strings.HasPrefix(c.arg(0), "+") {
		if c.arg(0) == "+o" || c.arg(0) == "+O" {
			c.args = c.args[1:]
		}
		c.args = c.args[1:]
	}
	opts, operands := splitArgs(c.args, "oO", true, "rcfile", "init-file", "command", "init-command")
	for _, f := range c.values("--rcfile", "--init-file") {
		c.file(f)
	}
	for _, f := range c.values("--command", "--init-command") {
		c.code(f, nil) // fish
	}
	switch {
	case opts.has("n", "version", "help") && !opts.has("c"):
		return stream{}
	case opts.has("c"):
		if len(operands) > 0 {
			c.code(operands[0], operands[1:])
		}
		return stream{}
	case len(operands) == 0 || opts.has("s"):
		c.shellReads(c.in)
		return stream{taint: fromShell}
	}
	return c.file(operands[0])
}

// code reads text that is given to a shell to run, with the words behind it: $0, $1
// and so on.
func (c *command) code(text field, words []field) {
	if text.src != nil {
		c.tainted(text.src.taint, text.s)
	}
	if !c.k.deeper(text.s) {
		return
	}
	defer c.k.up()
	inner := newShell(c.k)
	if len(words) > 0 {
		inner.vars["0"] = words[:1]
		inner.positional(words[1:])
	}
	inner.source(text.s)
}

// tainted says that code comes from where it should not.
func (c *command) tainted(t taint, what string) bool {
	switch {
	case t&fromNet != 0:
		c.k.add("remote", c.line(), "runs what it downloads, unseen")
	case t&fromCode != 0:
		c.k.add("remote", c.line(), "runs what it decodes, unread")
	default:
		return false
	}
	return true
}

// file judges a script that is run from a file.
func (c *command) file(f field) stream {
	if f.src != nil {
		if !c.tainted(f.src.taint, f.s) && f.src.known {
			c.k.inside(Shell, f.src.text)
		}
		return stream{}
	}
	if c.downloaded(f.s) {
		c.k.add("remote", c.line(), "runs what it has just downloaded")
	}
	c.runsWritten(Shell, f.s)
	if f.s == "-" || f.s == "/dev/stdin" {
		c.shellReads(c.in)
	}
	return stream{}
}

// shellReads judges what a shell is given on its standard input.
func (c *command) shellReads(in stream) {
	if c.tainted(in.taint, in.text) {
		return
	}
	if in.known {
		c.k.inside(Shell, in.text)
	}
}

func source(c *command) stream {
	if len(c.args) > 0 {
		return c.file(c.args[0])
	}
	c.shellReads(c.in) // fish's
	return stream{}
}
