package danger

import (
	"strings"
)

// xargs runs its command with the words that it reads.
func xargs(c *command) stream {
	c.readsInput()
	opts, rest := splitArgs(c.args, "aEIiLnPsdjSN", true, "arg-file", "delimiter", "max-args", "max-procs", "replace", "jobs")
	given := c.in.items
	if c.in.known && len(given) == 0 {
		given = items(c.in.text)
	}
	if c.name == "parallel" {
		given, rest = parallelItems(given, rest)
	}
	if len(given) == 0 {
		given = []string{string(unknown)}
	}
	if len(rest) == 0 {
		return stream{}
	}
	if shells[base(rest[0].s)] {
		c.tainted(c.in.taint, "")
	}
	if c.name == "parallel" && len(rest) == 1 && strings.Contains(rest[0].s, " ") {
		c.parallelLine(rest[0].s, given)
		return stream{}
	}
	replace := opts["I"]
	if replace == "" && (opts.has("i", "replace") || c.name == "parallel") {
		replace = "{}"
	}
	for _, g := range given[:min(len(given), maxLoop)] {
		c.nested1(filled(rest, replace, g), stream{})
	}
	return stream{}
}

// parallelItems takes what stands behind ::: from parallel's words.
func parallelItems(given []string, rest []field) ([]string, []field) {
	for i, a := range rest {
		if a.s != ":::" {
			continue
		}
		given = nil
		for _, g := range rest[i+1:] {
			given = append(given, g.s)
		}
		return given, rest[:i]
	}
	return given, rest
}

// parallelLine reads the line that parallel gives to a shell for each item.
func (c *command) parallelLine(line string, given []string) {
	for _, g := range given[:min(len(given), maxLoop)] {
		with := strings.ReplaceAll(line, "{}", g)
		if with == line {
			with += " " + g
		}
		c.k.inside(Shell, with)
	}
}

// filled puts item where placeholder stands in args, or at their end.
func filled(args []field, placeholder, item string) []field {
	out := make([]field, 0, len(args)+1)
	done := false
	for _, a := range args {
		if placeholder != "" && strings.Contains(a.s, placeholder) {
			a.s, done = strings.ReplaceAll(a.s, placeholder, item), true
		}
		out = append(out, a)
	}
	if !done {
		out = append(out, field{s: item})
	}
	return out
}

// findTests are the tests of find that leave only a part of what it walks.
var findTests = map[string]bool{
	"-name": true, "-iname": true, "-path": true, "-ipath": true, "-wholename": true, "-regex": true, "-iregex": true,
	"-mtime": true, "-mmin": true, "-atime": true, "-ctime": true, "-newer": true, "-size": true, "-empty": true, "-user": true, "-perm": true,
	"-lname": true, "-links": true, "-samefile": true, "-inum": true,
}

// find walks directories and may run or delete what it finds.
func find(c *command) stream {
	var roots []string
	i := 0
	for i < len(c.args) && c.name != "fd" && c.name != "fdfind" {
		a := c.args[i].s
		if strings.HasPrefix(a, "-") && a != "-L" && a != "-H" && a != "-P" || a == "(" || a == "!" {
			break
		}
		if !strings.HasPrefix(a, "-") {
			roots = append(roots, a)
		}
		i++
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	if c.name == "fd" || c.name == "fdfind" {
		roots = fdRoots(c)
	}
	tests := c.args[i:]
	narrow := c.name == "fd" || c.name == "fdfind"
	for _, t := range tests {
		narrow = narrow || findTests[t.s]
	}
	out := stream{}
	for _, r := range roots[:min(len(roots), maxLoop)] {
		item := r
		if narrow {
			item = strings.TrimRight(r, "/") + "/" + string(unknown)
		}
		out.items = append(out.items, item)
		c.findActions(tests, r, item)
	}
	return out
}

// fdRoots returns the directories that fd searches: the operands behind its pattern.
func fdRoots(c *command) []string {
	args := c.args
	for i, a := range args {
		if contains([]string{"-x", "-X", "--exec", "--exec-batch"}, a.s) {
			args = args[:i]
			break
		}
	}
	_, ops := splitArgs(args, "etEdjScoO", false, "extension", "type", "exclude", "max-depth", "min-depth", "size", "changed-within", "changed-before", "owner", "base-directory", "search-path")
	var roots []string
	for i, o := range ops {
		if i > 0 {
			roots = append(roots, o.s)
		}
	}
	return roots
}

// findActions judges what find does with what it finds below root; item stands
// for one of them.
func (c *command) findActions(tests []field, root, item string) {
	for j := 0; j < len(tests); j++ {
		switch tests[j].s {
		case "-delete":
			c.deletes(item, true, "deletes all it finds below "+shown(root))
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			end := j + 1
			for end < len(tests) && tests[end].s != ";" && tests[end].s != "+" {
				end++
			}
			run := tests[j+1 : end]
			if len(run) > 0 {
				at := len(c.k.found)
				c.nested1(filledOnly(run, "{}", item), stream{})
				// A file at a time, rm below the system's directories is no less.
				if len(c.k.found) == at && contains([]string{"rm", "shred", "unlink"}, base(run[0].s)) {
					c.deletes(item, true, "deletes all it finds below "+shown(root))
				}
			}
			j = end
		case "-fprint", "-fprintf", "-fls":
			if j+1 < len(tests) {
				c.writes(tests[j+1].s, false)
			}
		}
	}
}

// filledOnly is filled without an item at the end.
func filledOnly(args []field, placeholder, item string) []field {
	out := filled(args, placeholder, item)
	return out[:len(args)]
}

// ls lists names, which another command may be given.
func ls(c *command) stream {
	_, ops := c.split("Iw")
	out := stream{}
	for _, o := range ops[:min(len(ops), maxLoop)] {
		out.items = append(out.items, strings.TrimRight(o.s, "/")+"/*")
	}
	if len(ops) == 0 {
		out.items = []string{"*"}
	}
	return out
}

// su runs a shell as another user.
func su(c *command) stream {
	opts, _ := c.split("cgGsuw", "command", "shell", "group", "user")
	for _, name := range []string{"c", "command"} {
		if text, ok := opts[name]; ok {
			c.k.inside(Shell, text)
		}
	}
	if opts.has("u") {
		if _, rest := splitArgs(c.args, "u", true); len(rest) > 0 {
			c.nested1(rest, c.in)
		}
	} else if !opts.has("c", "command") {
		c.shellReads(c.in)
	}
	return stream{}
}

// elsewhere returns a shell on another machine, whose directories are not ours.
func (s *shell) elsewhere() *shell {
	far := newShell(s.k)
	far.dir = ""
	return far
}

// ssh runs a command on another machine.
func ssh(c *command) stream {
	args := c.args
	if c.name == "sshpass" {
		_, args = splitArgs(args, "fdpe", true)
		if len(args) > 0 {
			args = args[1:]
		}
	}
	opts, rest := splitArgs(args, "BbcDEeFIiJLlmOopQRSWw", true)
	for _, a := range args {
		if _, cmd, ok := strings.Cut(a.s, "ProxyCommand="); ok {
			c.k.inside(Shell, cmd)
		}
		if _, cmd, ok := strings.Cut(a.s, "LocalCommand="); ok {
			c.k.inside(Shell, cmd)
		}
	}
	if opts.has("V") || len(rest) == 0 {
		return stream{}
	}
	_, rest = splitArgs(rest[1:], "BbcDEeFIiJLlmOopQRSWw", true)
	far := &command{shell: c.elsewhere(), name: "ssh", in: c.in}
	if len(rest) == 0 {
		far.shellReads(c.in)
		return stream{}
	}
	return far.remoteText(joined(rest), c.in)
}

// remoteText reads a command line in a place whose directories are unknown.
func (c *command) remoteText(text string, in stream) stream {
	at := c.k.at
	c.k.at.Dir = ""
	c.k.inside(Shell, text)
	if first, _, _ := strings.Cut(text, " "); shells[base(first)] && !strings.Contains(text, " -c") {
		c.shellReads(in)
	}
	c.k.at = at
	return stream{}
}

// remoteWords is remoteText for words that no shell reads again.
func (c *command) remoteWords(args []field, in stream) stream {
	at := c.k.at
	c.k.at.Dir = ""
	out := c.elsewhere().nested1(args, in)
	c.k.at = at
	return out
}

// flock runs a command while it holds a lock.
func flock(c *command) stream {
	opts, rest := splitArgs(c.args, "wE", true, "timeout", "wait")
	if len(rest) > 0 {
		rest = rest[1:]
	}
	if text, ok := opts["c"]; ok {
		c.k.inside(Shell, text+joined(rest))
		return stream{}
	}
	inner, more := splitArgs(rest, "c", true, "command")
	for _, name := range []string{"c", "command"} {
		if text, ok := inner[name]; ok {
			c.k.inside(Shell, text)
		}
	}
	if len(more) > 0 {
		return c.nested1(more, c.in)
	}
	return stream{}
}

// script records a shell, or the command after -c.
func script(c *command) stream {
	opts, ops := c.split("cEIBOTtmo", "command")
	for _, name := range []string{"c", "command"} {
		if text, ok := opts[name]; ok {
			c.k.inside(Shell, text)
		}
	}
	if len(ops) > 0 {
		c.writes(ops[0].s, false)
	}
	return stream{}
}

// multiplexer is tmux or screen: a command may follow at the end, or be typed
// into another shell.
func multiplexer(c *command) stream {
	args := c.args
	if c.name == "screen" {
		_, rest := splitArgs(args, "SpcehrtTx", true)
		for i, r := range rest {
			if r.s == "stuff" && i+1 < len(rest) {
				c.k.inside(Shell, rest[i+1].s)
				return stream{}
			}
		}
		if len(rest) > 0 {
			return c.nested1(rest, c.in)
		}
		return stream{}
	}
	_, args = splitArgs(args, "cfLS", true)
	if len(args) == 0 {
		return stream{}
	}
	verb := args[0].s
	_, rest := splitArgs(args[1:], "censtxyF", true)
	switch verb {
	case "new-session", "new", "new-window", "neww", "split-window", "splitw", "respawn-pane", "run-shell", "run", "popup", "display-popup", "if-shell", "send-keys", "send", "pipe-pane":
		for _, r := range rest {
			c.k.inside(Shell, r.s)
		}
		if len(rest) > 1 {
			c.k.inside(Shell, joined(rest))
		}
	}
	return stream{}
}

// tar packs files, unpacks them somewhere, and can run commands meanwhile.
func tar(c *command) stream {
	c.readsOperands()
	opts, _ := c.split("Cf", "directory", "file", "checkpoint-action", "to-command", "use-compress-program")
	first := strings.TrimLeft(c.arg(0), "-")
	extract := opts.has("x", "extract") || strings.Contains(first, "x") && !strings.HasPrefix(c.arg(0), "--") && len(first) < 6
	for i, a := range c.args {
		if extract && (a.s == "-C" || a.s == "--directory") && i+1 < len(c.args) {
			c.unpacks(c.args[i+1].s)
		}
		if dir, ok := strings.CutPrefix(a.s, "--directory="); ok && extract {
			c.unpacks(dir)
		}
	}
	if extract && (opts.has("P", "absolute-names") || strings.Contains(first, "P") && !strings.HasPrefix(c.arg(0), "--")) {
		c.k.add("overwrite", c.line(), "unpacks over the files at the absolute paths that the archive names")
	}
	out := c.through()
	if extract {
		c.unpacked()
		out.taint |= fromCode
	}
	return out
}

// unpacked notes that the line has unpacked what it has downloaded: what is run from
// there later is unseen.
func (c *command) unpacked() {
	from := c.in.taint
	for _, a := range c.args {
		from |= c.fileTaint(a.s)
	}
	if from&fromNet != 0 {
		c.fetched[unpackedHere] = true
	}
}

// unpackedHere stands among the downloaded files for all that came out of an archive.
const unpackedHere = string(unknown)

// unpacks judges the directory that an archive is unpacked into.
func (c *command) unpacks(dir string) {
	if sp := c.spot(dir); sp.kind == atSystem || sp.kind == atHomeAll {
		c.k.add("overwrite", c.line(), "unpacks over "+shown(sp.path))
	}
}

// rimraf deletes like rm -rf.
func rimraf(c *command) stream {
	_, ops := c.split("")
	for _, o := range ops {
		c.deletes(o.s, true, "")
	}
	return stream{}
}
