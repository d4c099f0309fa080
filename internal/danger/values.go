package danger

import (
	"slices"
	"strings"
)

// This file replaces names in a program by their values, if the program's text defines
// them: x = "/etc"; import os as o; const {rmSync: r} = require("fs").

// Limits on values.
const (
	maxValues      = 32 // names whose value is remembered
	maxValueTokens = 24 // tokens of a value
)

// resolveNames returns a program with its names replaced by their values.
func resolveNames(ts tokenList) tokenList {
	vals := nameValues(ts)
	out := make(tokenList, 0, len(ts))
	for i, t := range ts {
		val, next, before := vals[t.text], ts.at(i+1), ts.at(i-1)
		named := next.is("=") && !ts.at(i+2).is("=") || next.is(":") || slices.Contains([]string{"for", "as", "import", "my", "."}, before.text)
		if t.kind != wordToken || val == nil || named || !val.hasString() && !strings.Contains("(,.)", next.text) {
			out = append(out, t)
			continue
		}
		out = append(out, val...)
	}
	return out
}

// nameValues returns the values of the program's names: strings, lists of strings, and
// modules and functions under other names.
func nameValues(ts tokenList) map[string]tokenList {
	vals := map[string]tokenList{}
	var module tokenList // "module." in a statement such as from module import name
	for i, t := range ts {
		before, next := ts.at(i-1), ts.at(i+1)
		val := tokenList(nil)
		switch {
		case t.is("\n") || t.is(";"):
			module = nil
		case t.kind != wordToken || before.is("."):
		case t.is("import") && ts.at(i-2).is("from"):
			module = tokenList{before, {kind: signToken, text: "."}}
		case before.is("as") && i > 1:
			val = slices.Concat(module, ts[i-2:i-1])
		case module != nil && !next.is("as"):
			val = slices.Concat(module, tokenList{t})
		case next.is("=") && !ts.at(i+2).is("=") && !before.is(",") && !before.is("("),
			before.is("for") && next.is("in"), ts.at(i-2).is("(") && (next.is("of") || next.is("in")):
			val = ts.value(i + 2)
		}
		if len(val) > 0 && len(vals) < maxValues {
			vals[t.text] = val
		}
	}
	return vals
}

// value returns the expression that begins at token i if it is made of strings or has the form
// a.b, and nil otherwise.
func (ts tokenList) value(i int) tokenList {
	val := split(ts[min(i, len(ts)):min(len(ts), i+maxValueTokens)], ";", "\n", ",", ":")[0]
	first := val.at(0)
	if val.hasString() && (first.kind == stringToken || strings.Contains("[({", first.text) || slices.Contains([]string{"Path", "pathlib", "String", "glob", "os"}, first.text)) || len(val) == 3 && val[1].is(".") {
		return val
	}
	return nil
}
