package danger

import "strings"

// sql judges SQL statements, and the commands of the clients that read them.
func (k *check) sql(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		k.clientCommand(strings.TrimSpace(line))
	}
	k.statements(text)
	if other, differs := dialects(text); differs {
		k.statements(other)
	}
}

// statements judges the statements of a text.
func (k *check) statements(text string) {
	var st tokenList
	depth := 0
	for _, t := range append(tokens(SQL, text), token{isSign, ";"}) {
		if t.kind == isSign {
			switch t.text {
			case "(":
				depth++
			case ")":
				depth--
			case ";":
				if depth <= 0 || len(st) > 0 {
					if !k.step() {
						return
					}
					k.statement(st)
				}
				st, depth = nil, 0
				continue
			case "\n":
				continue
			}
		}
		st = append(st, t)
	}
}

// words returns the statement's words in capitals; strings and signs are empty or
// themselves.
func (ts tokenList) words() []string {
	out := make([]string, len(ts))
	for i, t := range ts {
		switch t.kind {
		case isWord:
			out[i] = strings.ToUpper(t.text)
		case isSign:
			out[i] = t.text
		}
	}
	return out
}

// statement judges one statement.
func (k *check) statement(st tokenList) {
	w := st.words()
	shownAs := "" // made when needed
	hold := func(why string) {
		if shownAs == "" {
			shownAs = st.String()
		}
		k.add("sql", shownAs, why)
	}
	if len(w) == 0 || w[0] == "EXPLAIN" && !contains(w, "ANALYZE") || w[0] == "COMMENT" || w[0] == "PREPARE" && false {
		return
	}
	lead := 0 // the first word: what is left of a comment may stand before it
	for lead < len(st)-1 && st[lead].kind == isSign && (st[lead].text == "*" || st[lead].text == "/") {
		lead++
	}
	for i, x := range w {
		next := at(w, i+1)
		first := i == lead || at(w, i-1) == "AS" && w[0] == "PREPARE" || at(w, i-1) == "(" || at(w, i-1) == "BEGIN" || at(w, i-1) == "THEN" || at(w, i-1) == "ANALYZE" || at(w, i-1) == ")" && w[0] == "EXPLAIN"
		if w[0] == "WITH" && i > 0 && w[i-1] == ")" {
			first = true
		}
		switch {
		case x == "DROP" && first && dropped[next] && len(w) > i+2:
			hold("drops a " + strings.ToLower(next))
		case x == "DROP" && w[0] == "ALTER" && (next == "COLUMN" || st.at(i+1).kind == isWord && !notColumns[next]):
			hold("drops a column with its data")
		case x == "TRUNCATE" && first && next != "(" && next != "":
			hold("deletes all rows")
		case x == "DELETE" && first && (next == "FROM" || st.at(i+1).kind == isWord):
			if !narrowed(w[i:], st[i:]) && !joins(w[i:]) {
				hold("deletes all rows: it has no WHERE that picks some")
			}
		case x == "DELETE" && w[0] == "MERGE" && w[i-1] == "THEN" && contains(w, "ON") && contains(w, "TRUE"):
			hold("deletes all rows: its condition is always true")
		case x == "UPDATE" && first && contains(w[i:], "SET"):
			if !narrowed(w[i:], st[i:]) {
				hold("changes all rows: it has no WHERE that picks some")
			}
		case x == "EXECUTE" || x == "FROM" && w[0] == "PREPARE" || x == "EXEC" && i == 0 || x == "DO" && i == 0 || runsSQL[x] && (next == "(" || next == ""):
			k.strings(st, i+1)
		case x == "SUPERUSER" && (w[0] == "ALTER" || w[0] == "CREATE"):
			hold("makes a user who may do everything")
		case x == "PROGRAM" && w[0] == "COPY" && st.at(i+1).kind == isText:
			hold("runs a program on the database server")
			k.inside(Shell, st.at(i+1).text)
		case serverCalls[x] && (next == "(" || x == "XP_CMDSHELL"):
			hold("reads files or runs programs on the database server")
		case x == "TO" && w[0] == "COPY" && st.at(i+1).kind == isText && strings.HasPrefix(st.at(i+1).text, "/"), x == "INTO" && w[0] == "VACUUM" && st.at(i+1).kind == isText:
			newShell(k).writes(st.at(i+1).text, false)
		case x == "OUTFILE" && i > 0 && w[i-1] == "INTO" && strings.HasPrefix(st.at(i+1).text, "/tmp/"):
		case (x == "OUTFILE" || x == "DUMPFILE") && i > 0 && w[i-1] == "INTO":
			hold("writes files on the database server")
		case x == "SHUTDOWN" && i == 0 && len(w) < 3:
			hold("stops the database server")
		}
	}
}

// dropped are the things whose dropping loses data or access.
var dropped = map[string]bool{
	"TABLE": true, "DATABASE": true, "SCHEMA": true, "USER": true, "ROLE": true, "OWNED": true, "TABLESPACE": true, "KEYSPACE": true,
	"COLLECTION": true, "LOGIN": true, "EXTENSION": true, "SERVER": true, "PARTITION": true, "STREAM": true, "DATASET": true, "MATERIALIZED": true, "FOREIGN": true,
}

// notColumns follow ALTER TABLE … DROP when it drops no column.
var notColumns = map[string]bool{
	"CONSTRAINT": true, "INDEX": true, "KEY": true, "PRIMARY": true, "FOREIGN": true, "DEFAULT": true, "NOT": true, "IDENTITY": true, "EXPRESSION": true, "CHECK": true, "": true,
}

// serverCalls reach out of the database.
var serverCalls = map[string]bool{
	"PG_READ_FILE": true, "PG_READ_BINARY_FILE": true, "PG_LS_DIR": true, "LO_IMPORT": true, "LO_EXPORT": true, "LOAD_FILE": true, "XP_CMDSHELL": true,
	"LOAD_EXTENSION": true, "WRITEFILE": true, "READFILE": true, "DBLINK_CONNECT": true, "SYS_EXEC": true, "SYS_EVAL": true, "EDIT": true,
}

// at returns element i, "" when there is none.
func at(w []string, i int) string {
	if i >= 0 && i < len(w) {
		return w[i]
	}
	return ""
}

// at returns token i, an empty sign when there is none.
func (ts tokenList) at(i int) token {
	if i >= 0 && i < len(ts) {
		return ts[i]
	}
	return token{kind: isSign}
}

// String returns the statement as text, as far as a finding shows it.
func (ts tokenList) String() string {
	var b strings.Builder
	glued := false // no blank before the next word
	for _, t := range ts {
		if b.Len() > maxWhat {
			break
		}
		if b.Len() > 0 && t.kind != isSign && !glued {
			b.WriteByte(' ')
		}
		glued = t.kind == isSign && strings.Contains(".(=@:#$[{", t.text)
		if t.kind == isText {
			b.WriteString("'" + t.text + "'")
		} else {
			b.WriteString(t.text)
		}
	}
	return b.String()
}

// joins reports whether a statement picks rows by joining another table.
func joins(w []string) bool {
	for i, x := range w {
		if x == "JOIN" && at(w, i-1) != "LEFT" && at(w, i-1) != "OUTER" && at(w, i-1) != "CROSS" && (contains(w[i:], "ON") || contains(w[i:], "USING")) {
			return true
		}
	}
	return false
}

// narrowed reports whether a DELETE or UPDATE has a WHERE, at its own level, that
// compares more than constants. A statement without one that is limited, or made
// by ON CONFLICT, is not asked here.
func narrowed(w []string, ts tokenList) bool {
	depth := 0
	for i, x := range w {
		switch x {
		case "(":
			depth++
		case ")":
			if depth--; depth < 0 {
				return false
			}
		case "WHERE":
			if depth == 0 {
				return !constant(w[i+1:], ts[i+1:])
			}
		}
	}
	return false
}

// constant reports whether a condition is true for every row: a constant, or two
// equal ones compared.
func constant(w []string, ts tokenList) bool {
	end := len(w)
	for i, x := range w {
		if x == "RETURNING" || x == "ORDER" || x == "LIMIT" {
			end = i
			break
		}
		if x == "OR" && constant(w[i+1:], ts[i+1:]) {
			return true
		}
	}
	if end > 3 && w[0] == "EXISTS" && !contains(w[:end], "FROM") {
		return true
	}
	if end == 1 && ts[0].kind == isWord || end == 3 && w[1] == "=" && w[0] == w[2] && w[0] != "" {
		return true
	}
	for i := range end {
		t := ts[i]
		if t.kind == isWord && !strings.Contains("0123456789", t.text[:1]) && w[i] != "TRUE" && w[i] != "NOT" && w[i] != "FALSE" && w[i] != "AND" && w[i] != "OR" && w[i] != "NULL" && w[i] != "IS" {
			return false
		}
	}
	return end > 0
}
