package danger

import "strings"

// escapes reads what a REPL, an editor, a debugger or a client hands to a shell.
func (k *check) escapes(lang Lang, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		switch lang {
		case Python:
			k.escaped(line, "!", "%sx ", "%system ", "%%bash", "%%sh")
		case Node:
			if file, ok := strings.CutPrefix(line, ".save "); ok {
				newShell(k).writes(strings.TrimSpace(file), false)
			}
		case Vim:
			k.editorEscape(line)
		case GDB:
			k.debugged(line)
			k.escaped(line, "shell ", "sh ", "she ", "shel ", "platform shell ", "!", "pipe ", "make ")
		case Client:
			k.clientLine(line)
		}
	}
}

// escaped reads a line as a shell does when one of the prefixes stands before it,
// and reports whether one did.
func (k *check) escaped(line string, prefixes ...string) bool {
	for _, p := range prefixes {
		if cmd, ok := strings.CutPrefix(line, p); ok {
			k.inside(Shell, strings.TrimSpace(strings.TrimLeft(cmd, "!")))
			return true
		}
	}
	return false
}

// editorEscape reads a command line of vi, ed or a pager: "!cmd", ":!cmd", and
// with a range or r and w before the "!". A pager's "|m cmd" pipes from a mark.
func (k *check) editorEscape(line string) {
	if at := strings.IndexByte(line, '!'); at >= 0 && shellEscape(strings.TrimPrefix(line[:at], ":")) {
		k.inside(Shell, line[at+1:])
	}
	if len(line) > 2 && line[0] == '|' {
		k.inside(Shell, line[2:])
	}
}

// shellEscape reports whether what stands before a ! on an editor's command line
// makes it a shell's command: nothing, a range, r and w, or mail's ~.
func shellEscape(before string) bool {
	return strings.Trim(before, "0123456789%.,$~' rwead") == ""
}

// clientLine reads a line of a client of another machine, such as sftp or
// smbclient: what it runs, reads and writes on this machine, and what it does on
// the other, where nobody knows the directory.
func (k *check) clientLine(line string) {
	if k.escaped(line, "!", "shell ", "local ", "system ") {
		return
	}
	if at := strings.IndexByte(line, '|'); at >= 0 {
		cmd := line[at+1:] // get FILE "|cmd", ls | cmd
		if at > 0 && strings.IndexByte(`"'`, line[at-1]) >= 0 {
			cmd = strings.TrimSuffix(cmd, line[at-1:at])
		}
		k.inside(Shell, cmd)
		line = line[:at]
	}
	words := strings.Fields(line)
	if len(words) > 2 && contains([]string{"get", "reget", "recv", "mget", "get1", "pget"}, words[0]) {
		s := newShell(k)
		last := strings.Trim(words[len(words)-1], `"'`)
		s.writes(s.tilde(last, last), false)
		return
	}
	here := k.at
	if len(words) > 0 && !contains([]string{"put", "mput", "reput", "send", "append", "lls", "lcd", "lmkdir"}, words[0]) {
		k.at.Dir = ""
	}
	k.inside(Shell, line)
	k.at = here
}

// debugged reads what a debugger calls, runs in Python, or writes.
func (k *check) debugged(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "call", "print", "p", "expr", "expression", "compile", "output", "printf", "set":
		for _, m := range systemCall.FindAllStringSubmatch(rest, maxLoop) {
			k.inside(Shell, ansiC(m[1]+m[2]))
		}
	case "python", "py", "script", "pi", "python-interactive":
		k.inside(Python, rest)
	case "|":
		if _, cmd, ok := strings.Cut(rest, "|"); ok {
			k.inside(Shell, cmd)
		}
	case "dump", "append", "save", "gcore", "generate-core-file":
		for _, w := range strings.Fields(rest) {
			if strings.HasPrefix(w, "/") {
				newShell(k).writes(w, false)
			}
		}
	}
}
