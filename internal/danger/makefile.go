package danger

import (
	"path"
	"regexp"
	"strings"
)

// makefiles are the names under which make finds its file.
var makefiles = []string{"GNUmakefile", "makefile", "Makefile"}

// makes judges make: what it is given in the line, and a file that the line has
// written.
func makes(c *command) stream {
	opts, ops := c.split("CfIjloWE", "file", "makefile", "directory", "eval")
	for _, v := range c.values("--eval", "-E") {
		c.makeText(v.s)
	}
	for _, o := range ops {
		if name, val, ok := strings.Cut(o.s, "="); ok {
			c.makeText(o.s)
			if name == "SHELL" || name == ".SHELLFLAGS" || name == "CC" {
				c.k.inside(Shell, val)
			}
		}
	}
	files := c.values("-f", "--file", "--makefile")
	if len(files) == 0 {
		for _, m := range makefiles {
			c.makeText(c.written[path.Join(opts["C"], m)])
		}
	}
	for _, f := range files {
		switch {
		case f.src != nil:
			if !c.tainted(f.src.taint, f.s) {
				c.makeText(f.src.text)
			}
		case f.s == "-" || f.s == "/dev/stdin":
			if !c.tainted(c.in.taint, "") {
				c.makeText(c.in.text)
			}
		case c.downloaded(f.s):
			c.k.add("remote", c.line(), "runs what it has just downloaded")
		default:
			c.makeText(c.written[path.Clean(f.s)])
		}
	}
	return stream{}
}

// makeShell finds what make gives to a shell while it reads its file.
var makeShell = regexp.MustCompile(`(?:\$\(shell|\$\{shell|!=)\s+([^)}\n]+)`)

// makeText reads the recipes of a makefile as the shell does that make starts.
func (c *command) makeText(text string) {
	for _, m := range makeShell.FindAllStringSubmatch(text, maxLoop) {
		c.k.inside(Shell, m[1])
	}
	for line := range strings.SplitSeq(text, "\n") {
		recipe, ok := strings.CutPrefix(line, "\t")
		if !ok {
			if _, recipe, ok = strings.Cut(line, ";"); !ok || !strings.Contains(line, ":") {
				continue
			}
		}
		c.k.inside(Shell, strings.ReplaceAll(strings.TrimLeft(recipe, "@-+ \t"), "$$", "$"))
	}
}
