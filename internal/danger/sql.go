package danger

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxStrings is how many tokens behind a function of SQL are looked at.
const maxStrings = 24

// statements judges SQL statements, and the commands of the clients that read them.
func (s *shell) statements(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			s.matches("sqlclient", line)
		}
	}
	texts := []string{text}
	if strings.Contains(text, "#") {
		texts = append(texts, hashComment().ReplaceAllString(text, "\n"))
	}
	for _, text := range texts {
		var st tokenList
		for _, t := range append(tokens(SQL, text), token{isSign, ";"}) {
			if t.is(";") && s.k.step() {
				s.statement(st)
				st = nil
			} else if !t.is("\n") {
				st = append(st, t)
			}
		}
	}
}

// hashComment finds MySQL's comments; in other dialects # is an operator.
var hashComment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(?:^|[\s;])#[^\n]*`) })

// itself returns a word: what split looks at.
func itself(word string) string { return word }

// words returns the tokens of a statement in small letters, with a ' before strings.
func (ts tokenList) words() []string {
	w := make([]string, len(ts))
	for i, t := range ts {
		if w[i] = strings.ToLower(t.text); t.kind == isText {
			w[i] = "'" + t.text
		}
	}
	return w
}

// statement judges one statement: each of its clauses that can stand by itself is a
// command, whose name is its first word.
func (s *shell) statement(st tokenList) {
	for len(st) > 0 && st[0].kind == isSign && strings.Contains("*/(", st[0].text) {
		st = st[1:] // what is left of a comment
	}
	w := st.words()
	if len(w) == 0 || w[0] == "explain" && !slices.Contains(w, "analyze") {
		return
	}
	looked := 0
	for i, name := range w {
		head := i == 0 || s.k.table.in("sql-before", w[i-1])
		p := s.k.table.programs[SQL][name]
		if p == nil || !head && !s.k.table.in("sql-anywhere", name) {
			continue
		}
		most := len(w)
		if !head || looked > maxAgain*len(w) {
			most = i + 1 + maxStrings
		}
		c := &command{shell: s, name: name, sql: split(w[i+1:min(most, len(w))], itself)[0], shownAs: st.String}
		looked += len(c.sql)
		for _, text := range c.sql {
			c.args = append(c.args, field{s: text})
		}
		c.fitting(p, &stream{})
	}
}

// everyRow reports whether a DELETE or UPDATE means all rows: it neither picks some by
// joining another table nor has a WHERE, at its own level, that picks some.
func (c *command) everyRow() bool {
	if i := slices.Index(c.sql, "join"); i > 0 && !slices.Contains([]string{"left", "outer", "cross"}, c.sql[i-1]) {
		return false
	}
	where := split(split(c.sql, itself, "returning", "order", "limit")[0], itself, "where")
	return len(where) == 1 || c.always(where[1])
}

// always reports whether a condition is true of every row: of what is joined by OR one
// side is, of what is joined by AND all are.
func (s *shell) always(w []string) bool {
	return slices.ContainsFunc(split(w, itself, "or"), func(or []string) bool {
		return !slices.ContainsFunc(split(or, itself, "and"), func(and []string) bool { return !s.alwaysOne(and) })
	})
}

// alwaysOne reports whether a comparison is true of every row: of constants, of a
// column with itself, or of a key with what every key is.
func (s *shell) alwaysOne(w []string) bool {
	switch {
	case len(w) == 0, len(w) == 3 && w[1] == "=" && w[0] == w[2]:
		return true
	case w[0] == "(" && w[len(w)-1] == ")":
		return s.always(w[1 : len(w)-1])
	case w[0] == "exists":
		return !slices.Contains(w, "from")
	case len(w) > 2 && w[1] == ".":
		w = w[2:]
	}
	column := slices.ContainsFunc(w, func(x string) bool {
		return x != "" && isLetter(x[0]) && !isNumber(x) && !s.k.table.in("sql-constants", x)
	})
	return s.matches("condition", strings.Join(w, " ")) || !column && w[0] != "false" && w[0] != "0"
}

// redis judges one command of Redis a line.
func (s *shell) redis(text string) {
	s.matches(Redis, text)
	for line := range strings.SplitSeq(text, "\n") {
		var args []field
		for _, w := range strings.Fields(line) {
			args = append(args, field{s: strings.ToLower(strings.Trim(w, `"'`))})
		}
		if len(args) > 1 && isNumber(args[0].s) {
			args = args[1:] // redis-cli repeats it so often
		}
		if len(args) > 0 {
			c := &command{shell: s, name: args[0].s, args: args[1:]}
			c.fitting(s.k.table.program(Redis, c.name), &stream{})
		}
	}
}

// mongo judges a line of the MongoDB shell.
func (s *shell) mongo(text string) {
	var bare strings.Builder
	for _, t := range tokens(Node, text) {
		if t.kind == isText {
			t.text = `""`
		}
		bare.WriteString(t.text)
	}
	s.matches(Mongo, bare.String())
	s.script(Node, text)
}

// unfinishedSQL reports whether a client of SQL waits for the end of a statement.
// Its own commands, which begin with a backslash or a point, end with their line.
func unfinishedSQL(text string) bool {
	w := slices.DeleteFunc(tokens(SQL, text).words(), func(x string) bool { return x == "\n" })
	if len(w) == 0 || w[0] == "." || slices.Contains(w, `\`) || slices.Contains([]string{";", "/", "$$", "go"}, w[len(w)-1]) {
		return false
	}
	return !slices.ContainsFunc(builtin().texts["sqlclient"], func(r *row) bool {
		return r.verb == does && r.re.get().MatchString(strings.TrimSpace(text))
	})
}
