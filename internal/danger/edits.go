package danger

import (
	"regexp"
	"strings"
)

// This file has the programs whose scripts write files or run commands: awk, the
// editors and debuggers, sed.

// systemCall finds a program's own call of a shell: awk's system("…"), expect's
// spawn …, a pipe from or into a string.
var systemCall = regexp.MustCompile(`(?:system\s*\(\s*|\|&?\s*|popen\s*\(\s*)"((?:[^"\\]|\\.)*)"|"((?:[^"\\]|\\.)*)"\s*\|`)

// awkWrites finds the files that awk's print writes.
var awkWrites = regexp.MustCompile(`(?:print|printf)?[^|]*>>?\s*"([^"]+)"`)

// pipedLines finds what awk pipes its lines into.
var pipedLines = regexp.MustCompile(`print[^"|;}]*\|\s*"(?:[^"]*/)?(?:ba|z|da|k)?sh"`)

// editScripts are the options of editors and debuggers that are followed by commands.
var editScripts = []string{"-c", "-ex", "--ex", "--cmd", "-iex", "--eval-command", "-S"}

// embedded reads the commands inside the scripts of awk, editors and debuggers.
func embedded(c *command) stream {
	if strings.Contains(c.name, "awk") {
		c.awk()
	} else {
		c.editor()
	}
	c.readsOperands()
	return c.through()
}

// awk judges a script of awk, and -i inplace.
func (c *command) awk() {
	opts, ops := c.split("fFviEe", "include", "source", "file")
	for _, a := range c.args {
		for _, m := range systemCall.FindAllStringSubmatch(a.s, maxLoop) {
			c.k.inside(Shell, ansiC(m[1]+m[2]))
		}
		for _, m := range awkWrites.FindAllStringSubmatch(a.s, maxLoop) {
			c.writes(m[1], false)
		}
		if pipedLines.MatchString(a.s) {
			c.k.add("unreadable", c.line(), "gives a shell lines that cannot be seen here")
		}
	}
	if opts["i"] == "inplace" || opts["include"] == "inplace" {
		for _, o := range ops[min(1, len(ops)):] {
			c.writes(o.s, false)
		}
	}
}

// editor judges the commands that an editor or a debugger is started with. One that
// writes and quits by itself writes its files.
func (c *command) editor() {
	lang := Vim
	if c.name == "gdb" || c.name == "lldb" {
		lang = GDB
	}
	saves := false
	for _, v := range c.values(editScripts...) {
		c.k.inside(lang, v.s)
		saves = saves || strings.Contains(v.s, "w") || strings.Contains(v.s, "x")
	}
	for _, a := range c.args {
		if strings.HasPrefix(a.s, "+") {
			c.k.inside(lang, ":"+a.s[1:])
			saves = saves || strings.Contains(a.s, "wq") || a.s == "+x"
		}
	}
	if !saves || lang == GDB {
		return
	}
	_, ops := c.split("cSuUTtq", "cmd")
	for _, o := range ops {
		if !strings.HasPrefix(o.s, "+") {
			c.writes(o.s, false)
		}
	}
}

// pager judges what a pager is told to do at its start: less '+!cmd'.
func pager(c *command) stream {
	for _, a := range c.args {
		if cmd, ok := strings.CutPrefix(a.s, "+"); ok {
			c.k.inside(Vim, cmd)
		}
	}
	return pass(c)
}

// sedRuns finds sed's command e, which runs the rest of its line.
var sedRuns = regexp.MustCompile(`(?m)(?:^|[;{}]|[0-9$/])[ \t]*e[ \t]+([^\n]+)`)

// sedWrites finds the file of sed's commands w and W, and of s///w.
var sedWrites = regexp.MustCompile(`(?m)(?:^|[;{}]|[0-9$/a-zA-Z])[ \t]*[wW][ \t]+([^\n;}]+)`)

// sedScript judges what a script of sed gives to a shell, and the files it writes.
func (c *command) sedScript(script string) {
	for _, m := range sedRuns.FindAllStringSubmatch(script, maxLoop) {
		c.k.inside(Shell, m[1])
	}
	for _, m := range sedWrites.FindAllStringSubmatch(script, maxLoop) {
		if strings.HasPrefix(m[1], "/") || strings.HasPrefix(m[1], ".") {
			c.writes(strings.TrimSpace(m[1]), false)
		}
	}
	if len(script) < 4 || script[0] != 's' {
		return
	}
	if part := strings.Split(script[2:], script[1:2]); len(part) == 3 && strings.Contains(part[2], "e") && strings.Trim(part[2], "gpeiIM0123456789") == "" {
		c.k.inside(Shell, part[1])
	}
}

// sed judges sed: a file changed in place, and the commands that its scripts run.
func sed(c *command, opts options, ops []field) {
	for _, v := range c.values("-e", "--expression") {
		c.sedScript(v.s)
	}
	given := opts.has("e", "expression", "f", "file")
	if !given && len(ops) > 0 {
		c.sedScript(ops[0].s)
		ops = ops[1:]
	}
	if !opts.has("i", "in-place") {
		return
	}
	for _, o := range ops {
		c.writes(o.s, false)
	}
}
