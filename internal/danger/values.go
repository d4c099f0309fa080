package danger

import (
	"regexp"
	"strings"
)

// This file gives the names in a program their values back, as far as the text that
// is read says them: x = "/etc"; rmtree(x).

// The bounds of values.
const (
	maxValues      = 16 // names whose value is remembered
	maxValueTokens = 24 // tokens of a value
)

// known returns a program with the values of its variables where they are used, and
// the functions that it has given other names under their own.
func known(lang Lang, ts tokenList) tokenList {
	vals := values(lang, ts)
	if len(vals) == 0 {
		return ts
	}
	out := make(tokenList, 0, len(ts))
	room := len(ts) + maxValues*maxValueTokens*4
	for i, t := range ts {
		val, ok := vals[t.text]
		set := ts.at(i+1).text == "=" && ts.at(i+2).text != "=" || ts.at(i+1).text == ":" || ts.at(i-1).text == "for"
		if t.kind != isWord || !ok || set || ts.at(i-1).text == "." || room < len(val) || !val.hasText() && ts.at(i+1).text != "(" && ts.at(i+1).text != "," {
			out = append(out, t)
			continue
		}
		room -= len(val)
		out = append(out, val...)
	}
	return out
}

// hasText reports whether one of the tokens is a string.
func (ts tokenList) hasText() bool {
	for _, t := range ts {
		if t.kind == isText {
			return true
		}
	}
	return false
}

// values returns what the program's names stand for: strings and lists of them, and
// other functions.
func values(lang Lang, ts tokenList) map[string]tokenList {
	vals := map[string]tokenList{}
	requires := lang == Node && ts.has("require")
	for i, t := range ts {
		if len(vals) == maxValues || t.kind != isWord {
			continue
		}
		next := ts.at(i + 1)
		switch {
		case ts.at(i-1).text == ".":
		case next.text == "=" && next.kind == isSign && ts.at(i+2).text != "=" && ts.at(i+2).text != ">":
			if val := ts.value(i + 2); len(val) > 0 && ts.at(i-1).text != "," && ts.at(i-1).text != "(" {
				vals[t.text] = val
			}
		case ts.at(i-1).text == "for" && next.text == "in", (next.text == "of" || next.text == "in") && lang == Node && ts.at(i-2).text == "(":
			if val := ts.value(i + 2); val.hasText() {
				vals[t.text] = val
			}
		case requires && next.text == ":" && ts.at(i+2).kind == isWord && (ts.at(i-1).text == "{" || ts.at(i-1).text == ","):
			vals[ts.at(i+2).text] = tokenList{t} // const {rmSync: r} = require("fs")
		}
	}
	return vals
}

// value returns the tokens from i to the end of an expression that is made of strings,
// or names a function; nil when it is neither.
func (ts tokenList) value(i int) tokenList {
	depth, from := 0, i
	for ; i < len(ts) && i-from < maxValueTokens; i++ {
		t := ts[i]
		if t.kind != isSign {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth < 0 || depth == 0 && (t.text == ";" || t.text == "\n" || t.text == "," || t.text == ":") {
			break
		}
	}
	val := ts[from:min(i, len(ts))]
	if val.hasText() {
		if val.at(0).kind == isText || strings.Contains("[({", val.at(0).text) || val.at(0).text == "Path" || val.at(0).text == "pathlib" || val.at(0).text == "String" {
			return val
		}
		return nil
	}
	if len(val) == 3 && val[1].text == "." || len(val) == 1 && val[0].kind == isWord && calls[Python][val[0].text] != 0 {
		return val
	}
	return nil
}

// hole finds what is put into a string when the program runs: {x}, ${x}.
var hole = regexp.MustCompile(`\$?\{([^{}]*)\}`)

// slot stands for it in a line for a shell, which does not know the variable either.
const slot = "${_unknown}"

// filledIn returns the text of an f-string or a template with what it puts in: a
// literal as it is, anything else as slot.
func filledIn(text string) string {
	return hole.ReplaceAllStringFunc(text, func(h string) string {
		in := strings.Trim(strings.TrimLeft(h, "$"), "{} ")
		if n := len(in); n > 1 && (in[0] == '\'' || in[0] == '"') && in[n-1] == in[0] {
			return in[1 : n-1]
		}
		return slot
	})
}

// formatted returns the strings of an argument as one: what %, .format and join make of
// them, with slot where that cannot be told.
func formatted(arg tokenList) (string, bool) {
	var texts []string
	how := ""
	for i, t := range arg {
		switch {
		case t.kind == isText:
			texts = append(texts, t.text)
		case t.kind == isWord && (t.text == "format" || t.text == "join" || t.text == "sprintf") || t.kind == isSign && t.text == "%" && i > 0 && arg[i-1].kind == isText:
			how = t.text
		}
	}
	if how == "" || len(texts) == 0 {
		return "", false
	}
	if how == "join" {
		if len(texts) > 1 && strings.TrimSpace(texts[0]) == "" {
			return strings.Join(texts[1:], " "), true
		}
		return "", false
	}
	line, rest := texts[0], texts[1:]
	for _, h := range []string{"%s", "{}", "{0}"} {
		for strings.Contains(line, h) {
			with := slot
			if len(rest) > 0 {
				with, rest = rest[0], rest[1:]
			}
			line = strings.Replace(line, h, with, 1)
		}
	}
	return line, true
}

// members returns a program with the members that it names by a string as if it named
// them by a point: fs["rmSync"](…), getattr(os, "system")(…), send(:system, …).
func members(ts tokenList) tokenList {
	var out tokenList // made when needed
	for i := 0; i < len(ts); i++ {
		t := ts[i]
		named, skip := "", 0
		switch {
		case t.text == "[" && ts.at(i+1).kind == isText && ts.at(i+2).text == "]" && ts.at(i+3).text == "(" && i > 0:
			named, skip = ts[i+1].text, 2
		case t.kind == isWord && (t.text == "getattr" || t.text == "Reflect") && ts.at(i+1).text == "(" && ts.at(i+3).text == "," && ts.at(i+4).kind == isText && ts.at(i+5).text == ")":
			out = append(begun(out, ts, i), ts[i+2])
			named, skip = ts[i+4].text, 5
		}
		if named == "" {
			if out != nil {
				out = append(out, t)
			}
			continue
		}
		out = append(begun(out, ts, i), token{isSign, "."}, token{isWord, named})
		i += skip
	}
	if out == nil {
		return ts
	}
	return out
}

// begun returns out, begun with the first i tokens when it is nil.
func begun(out, ts tokenList, i int) tokenList {
	if out == nil {
		return append(make(tokenList, 0, len(ts)+2), ts[:i]...)
	}
	return out
}
