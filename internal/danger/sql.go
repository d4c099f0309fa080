package danger

import (
	"slices"
	"strings"
)

// Limits on the tokens of an SQL clause that can stand by itself, and on those read after a
// function.
const (
	maxClauseTokens   = 1000
	maxFunctionTokens = 24
)

// judgeStatements judges SQL statements, and the commands of SQL clients.
func (s *shell) judgeStatements(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			s.judgeText("sqlclient", line)
		}
	}
	var st tokenList
	for _, t := range append(tokens(SQL, text), token{signToken, ";", len(text)}) {
		if t.is(";") && s.check.withinBudget() {
			s.judgeStatement(st, text[:t.at])
			st = nil
		} else if !t.is("\n") {
			st = append(st, t)
		}
	}
}

// sign returns the text of a field, for split.
func (f field) sign() string { return f.text }

// judgeStatement judges one statement, which is at the end of text. Each clause that can stand by
// itself is judged as a command, named by its first word.
func (s *shell) judgeStatement(st tokenList, text string) {
	w := make([]field, len(st)) // the tokens in lower case; a string is unchanged, with a ' before it
	for i, t := range st {
		if w[i].text = strings.ToLower(t.text); t.kind == stringToken {
			w[i].text = "'" + t.text
		}
	}
	for i, name := range w {
		head := i == 0 || s.check.table.in("sql-before", w[i-1].text)
		p := s.check.table.programs[SQL][name.text]
		if p == nil || !head && !s.check.table.in("sql-anywhere", name.text) {
			continue
		}
		most := maxFunctionTokens
		if head {
			most = maxClauseTokens
		}
		args := split(w[i+1 : min(len(w), i+1+most)])[0]
		c := &command{shell: s, name: name.text, args: args, sql: true, text: text[st[0].at:]}
		c.applyRows(p, &stream{})
	}
}

// affectsAllRows reports whether a DELETE or UPDATE affects all rows: it has no WHERE outside brackets,
// or the condition of this WHERE is always true.
func (c *command) affectsAllRows() bool {
	where := split(split(c.args, "returning", "order", "limit")[0], "where")
	return len(where) == 1 || c.isAlwaysTrue(where[1])
}

// isAlwaysTrue reports whether a condition is true for every row, that is, whether an operand of OR in it is.
// Such an operand is true for every row if all operands of AND in it are.
func (s *shell) isAlwaysTrue(condition []field) bool {
	return slices.ContainsFunc(split(condition, "or"), func(or []field) bool {
		return !slices.ContainsFunc(split(or, "and"), func(w []field) bool {
			same := len(w) == 3 && w[1].text == "=" && w[0].text == w[2].text
			return !same && !s.judgeText("condition", joinWords(w))
		})
	})
}

// unfinishedSQL reports whether an SQL client would wait for the end of a statement. It would not after
// the client's own commands: a dot at the start, or a backslash (as in select 1 \gx), ends with the line.
func unfinishedSQL(text string) bool {
	ts := slices.DeleteFunc(tokens(SQL, text), func(t token) bool { return t.is("\n") })
	if len(ts) == 0 || ts[0].is(".") || slices.ContainsFunc(ts, func(t token) bool { return t.is(`\`) }) {
		return false
	}
	last := strings.ToLower(ts[len(ts)-1].text)
	return !builtin().in("sql-ends", last) && !slices.ContainsFunc(builtin().texts["sqlclient"], func(r *row) bool {
		return r.verb == does && r.re().MatchString(strings.TrimSpace(text))
	})
}
