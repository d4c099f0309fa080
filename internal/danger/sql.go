package danger

import (
	"slices"
	"strings"
)

// The bounds of a clause of SQL, in tokens: of one that can stand by itself, and of what is
// looked at behind a function.
const (
	maxClause  = 1000
	maxStrings = 24
)

// statements judges SQL statements, and the commands of the clients that read them.
func (s *shell) statements(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			s.matches("sqlclient", line)
		}
	}
	var st tokenList
	for _, t := range append(tokens(SQL, text), token{isSign, ";", len(text)}) {
		if t.is(";") && s.k.step() {
			s.statement(st, text[:t.at])
			st = nil
		} else if !t.is("\n") {
			st = append(st, t)
		}
	}
}

// word returns the text of a word: what split looks at.
func (f field) word() string { return f.s }

// statement judges one statement: each of its clauses that can stand by itself is a
// command, whose name is its first word. The statement ends text.
func (s *shell) statement(st tokenList, text string) {
	w := make([]field, len(st)) // in small letters, with a ' before strings
	for i, t := range st {
		if w[i].s = strings.ToLower(t.text); t.kind == isText {
			w[i].s = "'" + t.text
		}
	}
	for i, name := range w {
		head := i == 0 || s.k.table.in("sql-before", w[i-1].s)
		p := s.k.table.programs[SQL][name.s]
		if p == nil || !head && !s.k.table.in("sql-anywhere", name.s) {
			continue
		}
		most := maxStrings
		if head {
			most = maxClause
		}
		args := split(w[i+1:min(len(w), i+1+most)], field.word)[0]
		c := &command{shell: s, name: name.s, args: args, sql: true, text: text[st[0].at:]}
		c.fitting(p, &stream{})
	}
}

// everyRow reports whether a DELETE or UPDATE means all rows: it has no WHERE, at its own
// level, that picks some.
func (c *command) everyRow() bool {
	where := split(split(c.args, field.word, "returning", "order", "limit")[0], field.word, "where")
	return len(where) == 1 || c.always(where[1])
}

// always reports whether a condition is true of every row: of what is joined by OR one
// side is, of what is joined by AND all are.
func (s *shell) always(condition []field) bool {
	return slices.ContainsFunc(split(condition, field.word, "or"), func(or []field) bool {
		return !slices.ContainsFunc(split(or, field.word, "and"), func(w []field) bool {
			same := len(w) == 3 && w[1].s == "=" && w[0].s == w[2].s
			return !same && !s.matches("condition", joined(w))
		})
	})
}

// unfinishedSQL reports whether a client of SQL waits for the end of a statement.
// Its own commands, which begin with a backslash or a point, end with their line.
func unfinishedSQL(text string) bool {
	ts := slices.DeleteFunc(tokens(SQL, text), func(t token) bool { return t.is("\n") })
	if len(ts) == 0 || ts[0].is(".") || slices.ContainsFunc(ts, func(t token) bool { return t.is(`\`) }) {
		return false
	}
	last := strings.ToLower(ts[len(ts)-1].text)
	return !builtin().in("sql-ends", last) && !slices.ContainsFunc(builtin().texts["sqlclient"], func(r *row) bool {
		return r.verb == does && r.re.get().MatchString(strings.TrimSpace(text))
	})
}
