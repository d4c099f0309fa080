package danger

import (
	"regexp"
	"strings"
)

// This file has what SQL's dialects and clients read otherwise than the standard.

// hashComment finds MySQL's comments; in other dialects # is an operator.
var hashComment = regexp.MustCompile(`(?m)(?:^|[\s;])#[^\n]*`)

// versioned finds the comments whose contents MySQL runs: /*!50000 … */.
var versioned = regexp.MustCompile(`(?s)/\*!\d*(.*?)\*/`)

// delimiter finds mysql's command that changes what ends a statement.
var delimiter = regexp.MustCompile(`(?im)^\s*delimiter\s+(\S{1,8})`)

// dialects returns text as MySQL reads it, when that differs.
func dialects(text string) (string, bool) {
	other := text
	if strings.Contains(other, "/*!") {
		other = versioned.ReplaceAllString(other, " $1 ")
	}
	if m := delimiter.FindStringSubmatch(other); m != nil && m[1] != ";" {
		other = strings.ReplaceAll(strings.Replace(other, m[0], "", 1), m[1], ";")
	}
	if strings.Contains(other, "#") {
		other = hashComment.ReplaceAllString(other, "\n")
	}
	return other, other != text
}

// dollarQuote finds the beginning of a string of PostgreSQL: $$ or $tag$.
var dollarQuote = regexp.MustCompile(`^\$[A-Za-z_0-9]{0,60}\$`)

// dollar takes a string in dollar quotes and reports whether there was one.
func (l *lexer) dollar(rest string) bool {
	tag := dollarQuote.FindString(rest)
	if tag == "" {
		return false
	}
	body, n := rest[len(tag):], len(rest)
	if end := strings.Index(body, tag); end >= 0 {
		body, n = body[:end], len(tag)+end+len(tag)
	}
	l.at += n
	l.out = append(l.out, token{isText, body})
	return true
}

// escaping reports whether the string at the lexer knows backslashes: E'…'.
func (l *lexer) escaping() bool {
	n := len(l.out)
	return n > 0 && l.at > 0 && (l.text[l.at-1] == 'E' || l.text[l.at-1] == 'e') && strings.EqualFold(l.out[n-1].text, "e")
}

// runsSQL are the functions that run the SQL in their arguments.
var runsSQL = map[string]bool{
	"DBLINK_EXEC": true, "DBLINK": true, "DBLINK_SEND_QUERY": true, "QUERY_TO_XML": true, "QUERY_TO_XMLSCHEMA": true, "CURSOR_TO_XML": true,
	"SP_EXECUTESQL": true, "EXECUTE_IMMEDIATE": true, "CRON": true, "SCHEDULE": true, "RUN_COMMAND_ON_WORKERS": true,
}

// strings reads the strings of a statement as SQL from token i on: what EXECUTE, DO and
// functions that run SQL are given.
func (k *check) strings(st tokenList, i int) {
	for _, t := range st[min(i, len(st)):min(i+maxValueTokens, len(st))] {
		if t.kind == isText {
			k.inside(SQL, t.text)
		}
	}
}

// begins reports whether one of the strings begins with one of the words.
func (ts tokenList) begins(words ...string) bool {
	for _, t := range ts {
		if first, _, _ := strings.Cut(strings.TrimSpace(t.text), " "); t.kind == isText && contains(words, strings.ToUpper(first)) {
			return true
		}
	}
	return false
}

// clientFiles are the commands of clients of SQL that write a file of this machine, or
// give it to a program behind a bar.
var clientFiles = []string{
	`\o`, `\out`, `\w`, `\write`, `\g`, `\gx`, `\copy`, `\T`, "tee ", ".output", ".o ", ".out ", ".once", ".log", ".save", ".backup", ".clone", ".excel", ".import", ".read", ".trace", ".dump >", "spool ",
}

// clientCommand judges the commands of psql, sqlite3, mysql and sqlplus themselves:
// those that run a program or write a file.
func (k *check) clientCommand(line string) {
	k.escaped(line, sqlEscapes...)
	if strings.HasPrefix(line, `\`) {
		for i, part := range strings.Split(line, "`") {
			if i%2 == 1 && i < maxLoop {
				k.inside(Shell, part)
			}
		}
		if _, val, ok := strings.Cut(line, `\setenv `); ok {
			k.inside(Shell, strings.ReplaceAll(strings.Replace(strings.TrimSpace(val), " ", "=", 1), "\\", ""))
		}
	}
	if at := strings.LastIndex(line, `\g`); at > 0 {
		k.clientCommand(line[at:]) // behind a statement
		if strings.HasPrefix(line[at:], `\gexec`) {
			if made := tokens(SQL, line[:at]); made.begins("DROP", "DELETE", "TRUNCATE", "UPDATE", "ALTER") {
				k.add("sql", line, "runs the SQL that a query makes")
			}
		}
	}
	for _, prefix := range clientFiles {
		rest, ok := strings.CutPrefix(line, prefix)
		if !ok {
			continue
		}
		k.clientFile(rest)
		return
	}
}

// clientFile judges what stands behind a client's command that writes.
func (k *check) clientFile(rest string) {
	if _, cmd, ok := strings.Cut(rest, "|"); ok {
		k.inside(Shell, strings.Trim(cmd, `'"`))
		return
	}
	if _, cmd, ok := strings.Cut(rest, "program "); ok {
		k.inside(Shell, strings.Trim(cmd, "'\" "))
		return
	}
	s := newShell(k)
	for _, w := range strings.Fields(rest) {
		if w = strings.Trim(w, `'";`); strings.HasPrefix(w, "/") || strings.HasPrefix(w, "~") {
			s.writes(s.tilde(w, w), false)
		}
	}
}

// sqlEscapes stand before what a client of SQL gives to a shell. sqlite3 takes its
// commands abbreviated.
var sqlEscapes = []string{`\!`, `\P `, "pager ", ".shell ", ".shel ", ".she ", ".sh ", ".system ", ".syste ", ".syst ", ".sys ", ".sy ", "system ", "host ", "!", ":!!"}
