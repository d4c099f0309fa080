package danger

import "strings"

// calledMore judges the calls that have two paths, change modes, empty databases, or
// call what they are given.
func (s *shell) calledMore(lang Lang, eff effect, c progCall) {
	switch eff {
	case doesMove, doesCopy:
		from, ok := s.pathOf(c.arg(0), c)
		if ok && eff == doesMove {
			s.deletes(from, false, "moves away "+places[s.spot(from).kind])
		} else if ok {
			s.readsFile(from, "")
		}
		if to, ok := s.pathOf(c.arg(1), c); ok {
			s.writes(to, false)
		}
	case doesMode:
		for i := range c.args {
			p, ok := s.pathOf(c.arg(i), c)
			if ok && s.spot(p).kind == atSystem && strings.HasPrefix(p, "/") {
				s.k.add("permissions", c.name+" "+p, "changes the permissions of the system's own files")
			}
		}
	case doesDrop:
		if c.name == "delete" && !(c.empty() && c.statement().has("objects") && c.statement().has("all")) {
			return
		}
		st := c.statement()
		if st.has("where") || st.has("filter") || st.has("limit") || st.has("find_by") {
			return
		}
		if c.name != "deleteMany" && c.name != "del" && c.name != "truncate" || c.empty() {
			s.k.add("sql", strings.TrimSuffix(st.String(), ".")+"."+c.name, "deletes a database, or all that is in a table or a cache")
		}
	case doesEach:
		s.each(lang, c)
	}
}

// each judges a call of a function for each of some values: map(rmtree, ["/etc"]).
func (s *shell) each(lang Lang, c progCall) {
	all := append(append(tokenList{}, c.statement()...), c.all...)
	eff, found := doesEach, false
	var values tokenList
	for i, t := range all {
		name := progCall{name: t.text}
		if all.at(i-1).text == "." {
			name.from = all.at(i - 2).text
		}
		e, ok := effectOf(lang, name)
		switch {
		case ok && e == doesFile && strings.HasPrefix(c.name, "find"):
			eff, found = doesTree, true // all below what it is given
		case ok && (e == doesShell || e == doesTree || e == doesFile) && (all.at(i+1).text == "," || all.at(i+1).text == "}" || all.at(i+1).text == ")" || i == len(all)-1):
			eff, found = e, true
		case t.kind == isText:
			values = append(values, t)
		}
	}
	for _, v := range values[:min(len(values), maxLoop)] {
		if found && (eff != doesEach) {
			arg := tokenList{v}
			s.called(lang, eff, progCall{name: c.name, args: []tokenList{arg}, all: arg})
		}
	}
}

// statement returns what the call is made on, back to the start of its statement.
func (c *progCall) statement() tokenList {
	for i := len(c.recv) - 1; i >= 0; i-- {
		if t := c.recv[i]; t.kind == isSign && (t.text == ";" || t.text == "\n" || t.text == "=") {
			return c.recv[i+1:]
		}
	}
	return c.recv
}

// empty reports whether a call has no arguments but an empty object.
func (c *progCall) empty() bool {
	for _, t := range c.all {
		if t.text != "{" && t.text != "}" {
			return false
		}
	}
	return true
}

// flagged reports whether the call's first argument is a string that begins so.
func (c *progCall) flagged(prefix string) bool {
	return len(c.all) > 0 && c.all[0].kind == isText && strings.HasPrefix(c.all[0].text, prefix)
}
