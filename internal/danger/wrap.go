package danger

import (
	"regexp"
	"strings"
)

// A wrapper is a program that runs the command in its arguments.
type wrapper struct {
	valued string   // its option letters that take a value
	long   []string // its long options that take a value as a word of their own
	skip   int      // operands before the command
	env    bool     // assignments may stand before the command
	verbs  []string // the command comes after one of these words: "uv run"
	text   bool     // several words are joined and read by a shell
}

// wrappers are the programs that run another one and change nothing about what
// it does.
var wrappers = map[string]wrapper{
	"sudo":    {valued: "CDghpRrtTuU", long: []string{"user", "group", "chdir", "host", "prompt", "role", "type", "chroot", "close-from", "command-timeout", "other-user"}, env: true},
	"doas":    {valued: "uC"},
	"pkexec":  {long: []string{"user"}},
	"env":     {valued: "uC", long: []string{"unset", "chdir"}, env: true},
	"nice":    {valued: "n", long: []string{"adjustment"}},
	"ionice":  {valued: "cnpPu", long: []string{"class", "classdata"}},
	"chrt":    {skip: 1},
	"taskset": {skip: 1},
	"numactl": {valued: "CNmip"},
	"nohup":   {},
	"setsid":  {},
	"time":    {valued: "fo"},
	"timeout": {valued: "ks", long: []string{"kill-after", "signal"}, skip: 1},
	"stdbuf":  {valued: "ioe", long: []string{"input", "output", "error"}},
	"chroot":  {skip: 1},
	"unshare": {valued: "SGR"},
	"nsenter": {valued: "tSG", long: []string{"target"}},
	"linux64": {}, "linux32": {}, "setarch": {}, "i386": {}, "x86_64": {},
	"strace":    {valued: "aeEIoOpPsSuUbX"},
	"ltrace":    {valued: "aAeEFlnopsuwxX"},
	"gdbserver": {skip: 1},
	"valgrind":  {},
	"command":   {}, "repeat": {skip: 1}, "and": {}, "or": {}, "not": {}, "-": {}, "sched": {skip: 1},
	"builtin":     {},
	"exec":        {valued: "a"},
	"noglob":      {},
	"nocorrect":   {},
	"busybox":     {},
	"toybox":      {},
	"chronic":     {},
	"unbuffer":    {},
	"rlwrap":      {valued: "abBcfHlmMopPqsSt"},
	"fakeroot":    {valued: "lsib"},
	"firejail":    {},
	"proxychains": {}, "proxychains4": {}, "torsocks": {}, "torify": {},
	"caffeinate":       {valued: "tw"},
	"systemd-run":      {valued: "pEuHMrt", long: []string{"unit", "property", "slice", "uid", "gid", "setenv", "description"}},
	"systemd-inhibit":  {long: []string{"what", "who", "why", "mode"}},
	"xvfb-run":         {valued: "efnps"},
	"dbus-run-session": {},
	"prlimit":          {},
	"cgexec":           {valued: "g"},
	"cpulimit":         {valued: "lpe"},
	"entr":             {},
	"watchexec":        {valued: "wefi"},
	"hyperfine":        {valued: "wmMrnps", text: true},
	"watch":            {valued: "n", long: []string{"interval"}, text: true},
	"uv":               {verbs: []string{"run"}}, "poetry": {verbs: []string{"run"}}, "pipenv": {verbs: []string{"run"}}, "pdm": {verbs: []string{"run"}},
	"bundle": {verbs: []string{"exec"}},
	"mise":   {verbs: []string{"exec", "x"}}, "asdf": {verbs: []string{"exec"}}, "direnv": {verbs: []string{"exec"}, skip: 1},
	"conda": {verbs: []string{"run"}, valued: "np"}, "mamba": {verbs: []string{"run"}, valued: "np"},
	"npx": {valued: "p"}, "bunx": {}, "pnpx": {},
}

// archName finds the name of an architecture, which setarch may be given first.
var archName = regexp.MustCompile(`^(?:i[3-6]86|x86_64|linux32|linux64|aarch64|arm\w*|ppc\w*|s390x?|uname26)$`)

// wrapped reads the command inside a wrapper's arguments.
func (c *command) wrapped(w wrapper) stream {
	args := c.args
	if len(w.verbs) > 0 {
		if len(args) == 0 || !contains(w.verbs, args[0].s) {
			return stream{}
		}
		args = args[1:]
	}
	opts, rest := splitArgs(args, w.valued, true, w.long...)
	switch {
	case c.name == "command" && opts.has("v", "V"), c.name == "sudo" && opts.has("l", "v", "k", "K"):
		return stream{}
	case c.name == "env" && opts.has("S", "split-string"):
		c.k.inside(Shell, opts["split-string"]+joined(rest))
		return stream{}
	case c.name == "npx" && opts.has("c", "call"):
		c.k.inside(Shell, opts["call"]+joined(rest))
	case c.name == "sudo" && opts.has("e", "edit"):
		for _, r := range rest {
			c.writes(r.s, false)
		}
		return stream{}
	}
	for w.env && len(rest) > 0 && isAssignment(rest[0].s) {
		name, val, _ := strings.Cut(rest[0].s, "=")
		c.assigned(name, []field{{s: val}})
		rest = rest[1:]
	}
	if c.name == "setarch" && len(rest) > 0 && archName.MatchString(rest[0].s) {
		rest = rest[1:]
	}
	rest = rest[min(w.skip, len(rest)):]
	if len(rest) == 0 {
		return c.bare(opts)
	}
	if w.text && !opts.has("x", "exec") {
		c.k.inside(Shell, joined(rest))
		return stream{}
	}
	return c.shell.nested1(rest, c.in)
}

// nested1 runs the command that a wrapper was given.
func (s *shell) nested1(args []field, in stream) stream {
	if s.k.nest++; s.k.nest > maxNest {
		s.k.add("unreadable", joined(args), "has commands inside commands too deep to be read")
		s.k.nest--
		return stream{}
	}
	defer func() { s.k.nest-- }()
	return s.run(args, in)
}

// bare is a wrapper without a command: env prints the environment, sudo -s is a
// shell that reads what is piped in.
func (c *command) bare(opts options) stream {
	switch c.name {
	case "env":
		return stream{taint: fromEnv}
	case "sudo", "doas", "chroot", "unshare", "nsenter":
		if opts.has("s", "i", "shell", "login") || c.name != "sudo" {
			c.shellReads(c.in)
		}
	}
	return stream{}
}

// runRule judges the programs that run text or commands in ways of their own.
func runRule(name string) func(*command) stream {
	if shells[name] {
		return (*command).aShell
	}
	if f := builtinRule(name); f != nil {
		return f
	}
	switch name {
	case "source", ".":
		return source
	case "ftp", "lftp", "smbclient", "tnftp":
		return func(c *command) stream {
			for _, v := range c.values("-c", "-e") {
				for cmd := range strings.SplitSeq(v.s, ";") {
					c.k.inside(Client, strings.TrimSpace(cmd))
				}
			}
			if c.in.known {
				c.k.inside(Client, c.in.text)
			}
			return stream{}
		}
	case "m4":
		return func(c *command) stream {
			for _, m := range macroCalls.FindAllStringSubmatch(c.in.text+joined(c.args), maxLoop) {
				c.k.inside(Shell, m[1])
			}
			return stream{}
		}
	case "alias", "abbr":
		return alias
	case "echo", "printf", "print":
		return echo
	case "cd", "pushd", "chdir":
		return cd
	case "popd":
		return func(c *command) stream { c.old, c.dir = c.dir, ""; return stream{known: true} }
	case "pwd":
		return func(c *command) stream { return stream{text: c.dir, known: c.dir != ""} }
	case "mktemp":
		return func(*command) stream { return stream{text: made, known: true} }
	case "xargs", "parallel":
		return xargs
	case "find", "fd", "fdfind", "gfind":
		return find
	case "ls", "dir":
		return ls
	case "su", "runuser":
		return su
	case "ssh", "mosh", "autossh", "sshpass":
		return ssh
	case "flock":
		return flock
	case "script":
		return script
	case "at", "batch":
		return func(c *command) stream { c.shellReads(c.in); return stream{} }
	case "tmux", "screen":
		return multiplexer
	case "awk", "gawk", "mawk", "nawk", "vim", "vi", "nvim", "ex", "view", "gdb", "lldb":
		return embedded
	case "tclsh", "wish", "expect", "tclsh8.6":
		return tcl
	case "make", "gmake", "bmake":
		return makes
	case "tar", "gtar", "bsdtar":
		return tar
	case "cat", "tac", "tee", "head", "tail", "sort", "nl", "uniq":
		return pass
	case "less", "more", "most", "zless":
		return pager
	case "tr", "rev", "base64", "base32", "xxd", "uudecode", "openssl", "gunzip", "zcat", "gzip", "xz", "xzcat", "bzcat", "bunzip2", "zstd", "zstdcat", "gpg", "sed", "dc", "od", "iconv":
		return decode
	case "history", "fc", "r":
		return history
	case "git-sh", "rimraf":
		return rimraf
	}
	return nil
}

func alias(c *command) stream {
	for _, a := range c.args {
		name, text, ok := strings.Cut(a.s, "=")
		if ok && name != "" {
			c.aliases[name] = text
			c.k.inside(Shell, text)
		}
	}
	if len(c.args) > 1 && !strings.Contains(c.arg(0), "=") {
		c.aliases[c.arg(0)] = joined(c.args[1:]) // fish's
		c.k.inside(Shell, joined(c.args[1:]))
	}
	return stream{}
}

// echo returns the text that echo or printf writes.
func echo(c *command) stream {
	_, words := splitArgs(c.args, "", true)
	var src taint
	for _, w := range words {
		if w.src != nil {
			src |= w.src.taint
		}
	}
	text := joined(words)
	switch {
	case c.name == "printf" && len(words) > 1 && strings.Contains(words[0].s, "%"):
		var lines []string
		format := ansiC(words[0].s)
		for _, w := range words[1:] {
			line := strings.Replace(format, "%s", w.s, 1)
			lines = append(lines, strings.Replace(line, "%b", ansiC(w.s), 1))
		}
		text = strings.Join(lines, "")
	case c.name == "printf" && len(words) > 0:
		text = ansiC(words[0].s)
	case strings.Contains(text, `\`) && c.any("-e", "-ne", "-en"):
		text = ansiC(text)
	}
	return stream{text: text + "\n", known: len(text) < maxValue && !strings.ContainsRune(text, unknown), items: items(text), taint: src}
}

// items are the words of a text, as xargs reads them.
func items(text string) []string {
	out := strings.Fields(text)
	return out[:min(len(out), maxBraces)]
}

// maxDir is how long a working directory that is followed may be, in bytes: as long as
// Linux lets a path be.
const maxDir = 4096

// cd changes the working directory.
func cd(c *command) stream {
	_, ops := c.split("")
	to := ""
	switch {
	case len(ops) == 0 && c.any("-"), len(c.args) > 0 && c.args[0].s == "-":
		to = c.old
	case len(ops) == 0:
		to = c.k.at.Home
	default:
		if sp := c.spot(ops[0].s); sp.kind != atUnknown && !strings.ContainsRune(strings.TrimPrefix(sp.path, made), unknown) && (c.dir != "" || strings.HasPrefix(sp.path, "/")) {
			to = sp.path
		}
	}
	if len(to) > maxDir {
		to = ""
	}
	c.old, c.shell.dir = c.dir, to
	return stream{known: true}
}

// pass is a filter that passes on what it reads, from files or before it.
func pass(c *command) stream {
	c.readsOperands()
	valued := ""
	if c.name == "head" || c.name == "tail" {
		valued = "nc"
	}
	_, files := c.split(valued)
	if c.name == "tee" {
		opts, _ := c.split("")
		for _, f := range files {
			c.writes(f.s, opts.has("a", "append"))
			c.wrote([]target{{f.s, opts.has("a", "append")}}, c.in)
		}
		return c.in
	}
	if len(files) == 0 || files[0].s == "-" {
		out := c.in
		out.tty = false
		return out
	}
	out := c.through()
	for _, f := range files {
		out.taint |= c.fileTaint(f.s)
	}
	return out
}

// decode is a filter whose output cannot be told from its input.
func decode(c *command) stream {
	c.readsOperands()
	out := c.through()
	t := false
	opts, ops := c.split("o")
	switch c.name {
	case "base64", "base32":
		t = opts.has("d", "D", "decode")
	case "xxd":
		t = opts.has("r", "revert")
	case "openssl":
		t = opts.has("d") || c.any("-d")
	case "gzip", "xz", "zstd", "gpg":
		t = opts.has("d", "decompress", "decrypt")
	case "sed":
		sed(c, opts, ops)
		out.items = c.in.items
		return out
	case "dc":
		for _, v := range c.values("-e", "--expression") {
			c.k.escaped(v.s, "!")
		}
		c.k.escaped(c.in.text, "!")
		t = true
	default:
		t = true
	}
	if c.name == "gpg" {
		gpg(c)
	}
	if c.name == "openssl" && c.arg(0) == "s_client" {
		out.taint |= fromNet
	}
	if t {
		out.taint |= fromCode
	}
	return out
}

// history judges the commands that look at or change the shell's history.
func history(c *command) stream {
	opts, ops := c.split("da")
	switch {
	case c.name == "history" && strings.Contains(opts["d"], "-") && opts["d"] != "-1":
		c.k.add("traces", c.line(), "wipes a part of the shell's history")
	case c.name == "history" && (opts.has("c") || c.arg(0) == "clear" || c.arg(0) == "delete" && c.any("--all")):
		c.k.add("traces", c.line(), "wipes the shell's history")
	case c.name == "fc" && opts.has("s"), c.name == "fc" && opts.has("e") && len(ops) > 0 && ops[0].s == "-":
		c.k.add("unreadable", c.line(), "runs a line of the shell's history that cannot be seen here")
	}
	return stream{}
}
