package danger

import (
	"path"
	"slices"
	"strings"
)

// judgeBuiltin judges c if it is one of the commands that the rules cannot describe, such as cd and
// find. It returns the output of c, and reports whether c is such a command.
func (c *command) judgeBuiltin() (stream, bool) {
	switch c.name {
	case "cd", "pushd", "chdir", "popd":
		c.changeDir()
		return stream{known: true}, true
	case "echo", "printf", "print":
		return c.echo(), true
	case "find", "gfind", "fd", "fdfind":
		return c.find(), true
	case "xargs", "parallel":
		c.xargs()
		return stream{}, true
	case "set":
		if i := slices.IndexFunc(c.args, func(a field) bool { return a.text == "--" }); i >= 0 {
			c.setPositional(c.args[i+1:])
		} else if at := c.operandPositions(&program{}, &row{}); len(at) > 0 {
			c.setPositional(c.args[at[0]:])
		}
		return stream{}, true
	case "alias":
		for _, a := range c.args {
			if name, val, ok := strings.Cut(a.text, "="); ok {
				c.vars[aliasPrefix+name] = fieldsOf(strings.Fields(val))
			}
		}
		return stream{}, true
	}
	return stream{}, false
}

// aliasPrefix begins the key of an alias in shell.vars. The alias's name follows.
const aliasPrefix = "alias "

// echo returns the output of echo, printf or print. It does not interpret formats such as %s.
func (c *command) echo() stream {
	words := c.args
	for len(words) > 0 && len(words[0].text) > 1 && words[0].text[0] == '-' && isOptionLetters(words[0].text) {
		words = words[1:]
	}
	text := joinWords(words)
	if _, escapes := findOption(c.args, []string{"-e"}); escapes {
		text = unescapeC(strings.ReplaceAll(text, `\0`, `\`)) // echo -e writes octal numbers as \0nnn
	} else if c.name == "printf" {
		text = unescapeC(text)
	}
	out := textStream(text+"\n", joinFields(words).origin)
	out.known = out.known && len(text) < maxValue
	return out
}

// changeDir changes the working directory to the first operand of cd, by default the home directory. - and
// popd mean the previous directory. If the new directory is not known, the working directory becomes unknown.
func (c *command) changeDir() {
	at, to, dir := c.operandPositions(&program{}, &row{}), c.check.place.Home, joinWords(c.vars["OLDPWD"])
	c.vars["OLDPWD"] = []field{{text: c.dir}}
	if len(at) > 0 || c.name == "popd" {
		if to = ""; c.name != "popd" && c.args[at[0]].text != "-" {
			dir = c.args[at[0]].text
		}
		if loc := c.locate(dir); strings.HasPrefix(loc.path, "/") && !strings.ContainsRune(strings.TrimPrefix(loc.path, made), unknown) && len(loc.path) <= maxDir {
			to = loc.path
		}
	}
	c.shell.dir = to
}

// xargs judges the command that xargs or parallel runs for each word of its input or after ":::".
func (c *command) xargs() {
	at := c.operandPositions(c.check.table.program(Shell, c.name), &row{})
	if len(at) == 0 {
		return
	}
	opts, rest, given := c.args[:at[0]], c.args[at[0]:], c.in.words()
	if i := slices.IndexFunc(rest, func(a field) bool { return a.text == ":::" }); i >= 0 {
		given, rest = stream{text: joinWords(rest[i+1:])}.words(), rest[:i]
	}
	if len(given) == 0 {
		given = []string{string(unknown)}
	}
	slot := "{}"
	if v, _ := findOption(opts, []string{"-I", "--replace"}); len(v) > 0 {
		slot = v[0].text
	}
	if len(rest) > 0 && c.check.table.in("shells", path.Base(rest[0].text)) {
		c.judgeTaint(c.in.taint)
	}
	for _, g := range given {
		if run := fillSlot(rest, slot, g); c.name == "parallel" {
			c.judgeNested(Shell, strings.ReplaceAll(joinWords(run), string(unknown), placeholder))
		} else {
			c.runNested(run, stream{})
		}
	}
}

// fillSlot returns args with slot replaced by item, or with item appended if args do not contain slot.
func fillSlot(args []field, slot, item string) []field {
	out := make([]field, 0, len(args)+1)
	for _, a := range args {
		out = append(out, field{text: strings.ReplaceAll(a.text, slot, item), origin: a.origin})
	}
	if slices.EqualFunc(args, out, func(a, b field) bool { return a.text == b.text }) {
		out = append(out, field{text: item})
	}
	return out
}

// find judges find and fd, which may delete the files that they find, or run commands on them. It
// returns an output that stands for the names of the files.
func (c *command) find() stream {
	fd, t := strings.HasPrefix(c.name, "fd"), c.check.table
	begin := slices.IndexFunc(c.args, func(a field) bool {
		return t.in("find-runs", a.text) || !fd && len(a.text) > 2 && a.text[0] == '-'
	})
	if begin < 0 {
		begin = len(c.args)
	}
	var roots []string
	for _, i := range c.operandPositions(t.program(Shell, c.name), &row{}) {
		if i < begin {
			roots = append(roots, c.args[i].text)
		}
	}
	if fd {
		roots = roots[min(1, len(roots)):] // the first operand is a pattern
	} else if len(roots) == 0 {
		roots = []string{"."}
	}
	tests, out := c.args[begin:], stream{}
	narrow := fd || slices.ContainsFunc(tests, func(a field) bool { return t.in("find-tests", a.text) })
	for _, r := range truncated(roots, string(unknown)) {
		item := r
		if narrow {
			item = strings.TrimRight(r, "/") + "/" + string(unknown)
		}
		out.text += item + "\n"
		c.judgeFound(tests, item)
	}
	return out
}

// judgeFound judges what find does with the files that it finds; item represents one of them.
func (c *command) judgeFound(tests []field, item string) {
	for i, a := range tests {
		run := tests[i+1:]
		switch {
		case a.text == "-delete":
			c.judgePath("FOUND", item)
		case c.check.table.in("find-runs", a.text):
			if end := slices.IndexFunc(run, func(a field) bool { return a.text == ";" || a.text == "+" }); end >= 0 {
				run = run[:end]
			}
			before := len(c.check.found)
			c.runNested(fillSlot(run, "{}", item)[:len(run)], stream{})
			// Removing files one at a time is as dangerous as removing the directory.
			if len(run) > 0 && len(c.check.found) == before && c.check.table.in("removes", path.Base(run[0].text)) {
				c.judgePath("FOUND", item)
			}
		}
	}
}
