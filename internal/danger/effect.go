package danger

import "strings"

// called judges one call of a program.
func (s *shell) called(lang Lang, eff effect, c progCall) {
	switch eff {
	case doesShell:
		s.runsShell(c)
	case doesMove, doesCopy, doesMode, doesDrop, doesEach:
		s.calledMore(lang, eff, c)
	case doesTree, doesTreeIf, doesFile:
		s.callDeletes(eff, c)
	case doesWrite:
		if p, ok := s.pathOf(c.arg(0), c); ok {
			s.writes(p, false)
		}
		if p, ok := s.pathOf(c.recv, c); ok && (c.name == "write_text" || c.name == "write_bytes") {
			s.writes(p, false)
		}
	case doesOpen:
		s.opens(c)
	case doesRead:
		p, ok := s.pathOf(c.arg(0), c)
		if !ok {
			p, ok = s.pathOf(c.recv, c)
		}
		if ok {
			s.readsFile(p, "")
		}
	case doesKill:
		s.signals(c)
	case doesCode:
		s.runsCode(lang, c)
	case doesSQL:
		for _, t := range c.all {
			if t.kind == isText {
				s.k.inside(SQL, t.text)
				break
			}
		}
	}
}

// callDeletes judges a call that deletes a file or a directory.
func (s *shell) callDeletes(eff effect, c progCall) {
	if c.name == "sync" && c.from == ")" && !strings.Contains(c.recv.String(), "rimraf") && !strings.Contains(c.recv.String(), "'del'") {
		return
	}
	tree := eff == doesTree || eff == doesTreeIf && (c.says("recursive") || c.flagged("-r"))
	first := c.arg(0)
	if c.flagged("-") && len(c.args) > 1 {
		first = c.arg(1) // shelljs' rm("-rf", "/")
	}
	p, ok := s.pathOf(first, c)
	if !ok && (eff == doesFile || len(c.all) == 0) {
		p, ok = s.pathOf(c.statement(), c) // Path("x").unlink()
	}
	if ok {
		s.deletes(p, tree, "")
	}
}

// arg returns argument i, without a keyword before it.
func (c *progCall) arg(i int) tokenList {
	if i >= len(c.args) {
		return nil
	}
	a := c.args[i]
	if len(a) > 1 && a[0].kind == isWord && a[1].text == "=" {
		a = a[2:]
	}
	return a
}

// says reports whether the call's arguments hold a word.
func (c *progCall) says(w string) bool { return c.all.has(w) }

// runsShell judges a call that runs a command: a line for a shell, or a program
// and its arguments.
func (s *shell) runsShell(c progCall) {
	for _, t := range c.all {
		if t.kind == isWord && decoders[t.text] {
			s.k.add("remote", c.name+"(…)", "runs what it decodes, unread")
		}
	}
	if line, ok := formatted(c.all); ok {
		s.k.inside(Shell, line)
		return
	}
	words := c.commandWords()
	if strings.HasSuffix(c.name, "send") && len(words) > 1 {
		words = words[1:] // Kernel.send("system", …)
	}
	if len(words) == 0 {
		return
	}
	if len(words) == 1 {
		s.k.inside(Shell, words[0].s)
		return
	}
	if strings.HasPrefix(c.name, "exec") && len(words) > 2 && base(words[0].s) == base(words[1].s) {
		words = words[1:] // execvp("rm", ["rm", …])
	}
	if !strings.Contains(words[0].s, " ") {
		s.nested1(words, stream{})
		return
	}
	for _, w := range words {
		s.k.inside(Shell, w.s)
	}
}

// commandWords returns the words of the command that a call runs: its strings, without
// keywords and options.
func (c *progCall) commandWords() []field {
	var words []field
	for i, a := range c.args {
		a = c.arg(i)
		if i > 0 && len(c.args[i]) > 1 && c.args[i][1].text == "=" && !strings.HasPrefix(c.args[i][0].text, "arg") {
			continue // shell=True, env={…}
		}
		if len(a) > 0 && a[0].text == "{" {
			continue // options
		}
		for _, t := range a {
			if t.kind == isText {
				words = append(words, field{s: t.text})
			}
		}
	}
	return words
}

// pathOf returns the path that an argument names: its strings, joined as
// os.path.join or a / would, after the home directory where that is meant.
func (s *shell) pathOf(arg tokenList, _ progCall) (string, bool) {
	var parts []string
	home := false
	for _, t := range arg {
		switch {
		case t.text == "HOME" && (t.kind == isWord || arg.has("environ") || arg.has("getenv") || arg.has("ENV") || arg.has("env")), t.kind == isWord && (t.text == "home" || t.text == "homedir"):
			home = true
		case t.kind == isText:
			parts = append(parts, t.text)
		case t.kind == isWord && t.text == "sep":
			parts = append(parts, "/")
		}
	}
	if len(parts) == 0 && !home {
		return "", false
	}
	p := strings.ReplaceAll(strings.Join(parts, "/"), slot, string(unknown))
	if home {
		p = "~/" + strings.TrimPrefix(p, "/")
	}
	return s.tilde(p, p), true
}

// opens judges a call that opens a file.
func (s *shell) opens(c progCall) {
	first := 0
	p, ok := s.pathOf(c.arg(0), c)
	if on, has := s.pathOf(c.statement(), c); has && c.from == ")" {
		p, ok, first = on, true, -1 // Path("x").open("w")
	}
	if !ok {
		return
	}
	if cmd, pipe := strings.CutPrefix(p, "|"); pipe {
		s.k.inside(Shell, cmd)
		return
	}
	mode := ""
	for i := range c.args {
		if a := c.arg(i); i > first && len(a) > 0 && a[0].kind == isText {
			mode = a[0].text
			break
		}
	}
	if c.says("O_WRONLY") || c.says("O_RDWR") || c.says("O_TRUNC") {
		mode = "w"
	}
	if strings.HasPrefix(mode, "<") {
		// Perl gives the mode first; "<" may be the second of three.
		mode = "r"
	}
	if strings.ContainsAny(mode, "wax+>") {
		s.writes(p, strings.Contains(mode, "a"))
		return
	}
	s.readsFile(p, "")
}

// signals judges a call that signals a process.
func (s *shell) signals(c progCall) {
	num := ""
	for _, t := range c.arg(0) {
		num += t.text
	}
	if c.from == "Process" {
		num = "" // Ruby gives the signal first
		for _, t := range c.arg(1) {
			num += t.text
		}
	}
	if num == "1" || num == "-1" {
		s.k.add("machine", c.name+"("+num+", …)", "signals process 1 or all processes at once")
	}
}

// decoders make text of what nobody can read.
var decoders = map[string]bool{"b64decode": true, "b32decode": true, "decodebytes": true, "unhexlify": true, "fromhex": true, "decompress": true, "atob": true, "rot13": true, "decode64": true, "urlsafe_b64decode": true}

// runsCode judges a call that runs text as a program.
func (s *shell) runsCode(lang Lang, c progCall) {
	if c.name == "then" {
		if len(c.all) == 1 && c.all[0].text == "eval" {
			s.k.add("remote", c.name+"(eval)", "runs what it downloads, unseen")
		}
		return
	}
	for _, t := range c.all {
		if t.kind != isWord {
			continue
		}
		switch t.text {
		case "urlopen", "requests", "urlretrieve", "fetch", "URI", "httpx", "http", "LWP", "get_contents":
			s.k.add("remote", c.name+"(…)", "runs what it downloads, unseen")
		}
		if decoders[t.text] || t.text == "decode" || t.text == "loads" || t.text == "unpack" {
			s.k.add("remote", c.name+"(…)", "runs what it decodes, unread")
		}
	}
	for _, t := range c.all {
		if t.kind == isText {
			s.k.inside(lang, t.text)
		}
	}
}
