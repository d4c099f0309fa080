package danger

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits on parsing. The parser recurses, and takes more than linear time for thousands of nested brackets.
const (
	maxPiece    = 32 << 10 // bytes parsed at once
	maxDepth    = 400      // opening brackets and keywords in a piece
	maxHeredocs = 8        // heredocs in a text for which heredocEnds looks for the end
	maxTabs     = 4        // cutBody finds the line that ends a heredoc only if fewer tabs precede it
	maxBodies   = 64       // heredocs in a text that takeBodies examines
)

// toBash replaces redirections of zsh and fish with those of bash, and line breaks with \n. It removes NUL.
var toBash = strings.NewReplacer(">! ", ">| ", ">&! ", ">& ", ">? ", "> ", "\r\n", "\n", "\r", "\n", string(unknown), "")

// parse returns the syntax tree of text, or nil if it cannot be parsed. If the last line of a
// heredoc has not been typed yet, parse adds this line.
func parse(text string) *syntax.File {
	text = toBash.Replace(text)
	if depth(text) > maxDepth {
		return nil
	}
	file, err := parseBash(text)
	if err != nil && strings.Contains(text, "<<") {
		file, err = parseBash(text + heredocEnds(text))
	}
	if err != nil {
		return nil
	}
	return file
}

// parseBash returns the syntax tree of text, or an error if text is wrong or not complete.
func parseBash(text string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// readable reports whether text is short and shallow enough to be parsed in one piece.
func readable(text string) bool { return len(text) <= maxPiece && depth(text) <= maxDepth }

// depth returns an upper limit on the nesting depth of text: the number of opening brackets and keywords.
func depth(text string) int {
	n := 0
	for _, opener := range []string{"(", "{", "`", "!", "if ", "while ", "until ", "case ", "for ", "time ", "coproc "} {
		n += strings.Count(text, opener)
	}
	return n
}

// heredocStart matches the start of a heredoc: << and the delimiter. If the delimiter is
// quoted, the shell does not expand the heredoc's body.
var heredocStart = lazy(`<<-?[ \t]*(?:\\([A-Za-z0-9_]{1,100})|'([^'\n]{1,100})'|"([^"\n]{1,100})"|([A-Za-z0-9_.!+-]{1,100}))`)

// heredocEnds returns the lines that would end those heredocs of text whose last line is missing.
func heredocEnds(text string) string {
	ends := ""
	for _, m := range heredocStart().FindAllStringSubmatch(text, maxHeredocs) {
		if delim := strings.Join(m[1:], ""); !strings.Contains(text+"\n", "\n"+delim+"\n") {
			ends += "\n" + delim + "\n"
		}
	}
	return ends
}

// takeBodies puts marks in place of heredoc bodies that a shell does not expand, if text is too long or too
// deep to be parsed in one piece. A mark is a short unique text; k.bodies maps the mark to the body.
func (k *check) takeBodies(text string) string {
	if readable(text) {
		return text
	}
	var out strings.Builder
	for range maxBodies {
		m := heredocStart().FindStringSubmatchIndex(text)
		if m == nil {
			break
		}
		delim := strings.Trim(strings.TrimLeft(text[m[0]:m[1]], "<-\\ \t"), `'"`)
		line, _, _ := strings.Cut(text[m[1]:], "\n")
		begin := min(len(text), m[1]+len(line)+1)
		body, rest, ok := cutBody(text[begin:], delim)
		if !ok || m[8] >= 0 && strings.ContainsAny(body, "$`") {
			out.WriteString(text[:m[1]])
			text = text[m[1]:]
			continue
		}
		k.marks++
		mark := fmt.Sprintf("\uE000%d", k.marks)
		k.bodies[mark] = body
		out.WriteString(text[:begin] + mark + "\n")
		text = delim + "\n" + rest
	}
	return out.String() + text
}

// cutBody cuts text, which begins with the body of a heredoc, around the line that ends the
// body: end, perhaps after tabs. ok is false if there is no such line.
func cutBody(text, end string) (body, rest string, ok bool) {
	text = "\n" + text + "\n"
	for tabs := 0; tabs < maxTabs && !ok; tabs++ {
		body, rest, ok = strings.Cut(text, "\n"+strings.Repeat("\t", tabs)+end+"\n")
	}
	return strings.TrimPrefix(body, "\n"), rest, ok
}

// bodyOf returns the body of a heredoc: text, unless text is a mark of takeBodies, which stands for the body.
func (k *check) bodyOf(text string) string {
	mark := strings.TrimSpace(text)
	body, ok := k.bodies[mark]
	if !ok {
		return text
	}
	delete(k.bodies, mark)
	return body
}

// pieceEnd returns the length of the first piece of text, at most maxPiece bytes. If text is longer, the
// piece ends after the last line break in its second half, or else after the last blank or semicolon there.
func pieceEnd(text string) int {
	if len(text) <= maxPiece {
		return len(text)
	}
	for _, signs := range []string{"\n", " \t;"} {
		if end := strings.LastIndexAny(text[:maxPiece], signs); end > maxPiece/2 {
			return end + 1
		}
	}
	return maxPiece
}

// Incomplete reports whether a program that reads lang would ask for more after text: in a shell,
// after an open quote, bracket or heredoc, or a final backslash or operator; in SQL, in an unfinished
// statement; in Python, Node, Ruby, Perl and Mongo, after an open bracket. It reports false for
// other languages, and for shell text that is too long or too deep to be parsed in one piece.
func Incomplete(lang Lang, text string) bool {
	switch lang {
	case Shell:
		if !readable(text) {
			return false
		}
		line := strings.TrimRight(text, "\n")
		if slashes := len(line) - len(strings.TrimRight(line, `\`)); slashes%2 == 1 {
			return true
		}
		_, err := parseBash(text)
		return err != nil && (syntax.IsIncomplete(err) || heredocEnds(text) != "")
	case SQL:
		return unfinishedSQL(text)
	case Python, Node, Ruby, Perl, Mongo:
		open := 0
		for _, t := range tokens(lang, text) {
			open += bracketDepth[t.sign()]
		}
		return open > 0
	}
	return false
}

// Settings returns the parts of a shell's text that set variables, positional parameters or
// aliases, which later lines may use as commands: X=rm, set -- -rf. It leaves out subshells and parts
// with command or process substitutions. For text that cannot be parsed at once, it returns nil.
func Settings(text string) []string {
	if !readable(text) {
		return nil
	}
	file, err := parseBash(text)
	if err != nil {
		return nil
	}
	var set []string
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.Subshell:
			return false
		case *syntax.CallExpr:
			if len(n.Args) > 0 && !(len(n.Args) > 1 && builtin().in("sets", n.Args[0].Lit())) {
				return false
			}
		case *syntax.DeclClause:
		default:
			return true
		}
		if part := text[n.Pos().Offset():n.End().Offset()]; !strings.Contains(part, "$(") && !strings.ContainsAny(part, "`") && !strings.Contains(part, "<(") {
			set = append(set, part)
		}
		return false
	})
	return set
}

// judgeUnparsed reads text that cannot be parsed: half typed, in another shell's syntax, or nested
// too deep. It splits the text into commands at operators and brackets, even quoted ones. It does
// not follow pipes, and may report harmless text.
func (s *shell) judgeUnparsed(text string) {
	commands := strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("\n\r;|&()`{}", r) })
	for command := range commands {
		var args []field
		for word := range strings.FieldsSeq(unquoted.Replace(command)) {
			args = append(args, field{text: s.expandTilde(word, word)})
		}
		s.run(args, stream{})
	}
}

// unquoted removes quotes, backslashes and NUL, and replaces $ with unknown.
var unquoted = strings.NewReplacer(`'`, "", `"`, "", `\`, "", string(unknown), "", "$", string(unknown))

// isNameChar reports whether the name of a variable may contain r.
func isNameChar(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
