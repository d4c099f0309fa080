package danger

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The bounds of parsing. The parser recurses, and takes more than linear time on
// brackets nested by the thousand.
const (
	maxPiece    = 32 << 10 // bytes parsed at once
	maxDepth    = 400      // brackets and openings in a piece
	maxHeredocs = 8        // heredocs of a text that are ended
	maxTabs     = 4        // before the line that ends a heredoc, less one
	maxBodies   = 64       // heredocs of a text that are looked at to take their bodies out
)

// zshRedirects are redirections of zsh and fish, and what stands for them in bash.
var zshRedirects = strings.NewReplacer(">! ", ">| ", ">&! ", ">& ", ">? ", "> ", "\r\n", "\n", "\r", "\n", string(unknown), "")

// parse returns text as a tree. Text that was begun and not ended, as a heredoc
// of which only the first lines were typed, is ended. What cannot be read is nil.
func (k *check) parse(text string) *syntax.File {
	text = zshRedirects.Replace(text)
	if depth(text) > maxDepth {
		return nil
	}
	if k.parser == nil {
		k.parser = newParser()
	}
	file, err := k.parser.Parse(strings.NewReader(text), "")
	if err != nil && strings.Contains(text, "<<") {
		file, err = k.parser.Parse(strings.NewReader(text+heredocEnds(text)), "")
	}
	if err != nil {
		return nil
	}
	return file
}

// newParser returns a parser of the shell's language.
func newParser() *syntax.Parser { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }

// depth bounds how deep text can nest: by its opening characters and words.
func depth(text string) int {
	n := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '{', '`', '!':
			n++
		}
	}
	for _, word := range []string{"if ", "while ", "until ", "case ", "for ", "time ", "coproc "} {
		n += strings.Count(text, word)
	}
	return n
}

// heredocStart finds the start of a heredoc and its delimiter: quoted, so that the shell
// does not look into the text, or not.
var heredocStart = lazyRegexp{src: `<<-?[ \t]*(?:\\([A-Za-z0-9_]{1,100})|'([^'\n]{1,100})'|"([^"\n]{1,100})"|([A-Za-z0-9_.!+-]{1,100}))`}

// heredocEnds returns what ends the heredocs that text leaves open.
func heredocEnds(text string) string {
	ends := ""
	for _, m := range heredocStart.get().FindAllStringSubmatch(text, maxHeredocs) {
		if delim := strings.Join(m[1:], ""); !strings.Contains(text+"\n", "\n"+delim+"\n") {
			ends += "\n" + delim + "\n"
		}
	}
	return ends
}

// takeBodies returns text with marks for the bodies of its heredocs, into which the shell
// does not look, when it is too long or too deep to be parsed with them: the brackets of a
// source file would be too many.
func (k *check) takeBodies(text string) string {
	if len(text) <= maxPiece && depth(text) <= maxDepth {
		return text
	}
	var out strings.Builder
	for range maxBodies {
		m := heredocStart.get().FindStringSubmatchIndex(text)
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
		if k.bodies == nil {
			k.bodies = map[string]string{}
		}
		k.marks++
		mark := fmt.Sprintf("\uE000%d", k.marks)
		k.bodies[mark] = body
		out.WriteString(text[:begin] + mark + "\n")
		text = delim + "\n" + rest
	}
	return out.String() + text
}

// cutBody cuts the body of a heredoc, with which text begins, from what stands behind the
// line that ends it, before which there may be tabs.
func cutBody(text, end string) (body, rest string, ok bool) {
	text = "\n" + text + "\n"
	for tabs := 0; tabs < maxTabs && !ok; tabs++ {
		body, rest, ok = strings.Cut(text, "\n"+strings.Repeat("\t", tabs)+end+"\n")
	}
	return strings.TrimPrefix(body, "\n"), rest, ok
}

// bodyOf returns the text of a heredoc, the one that was taken out when a mark stands
// for it.
func (k *check) bodyOf(text string) string {
	mark := strings.TrimSpace(text)
	body, ok := k.bodies[mark]
	if !ok {
		return text
	}
	delete(k.bodies, mark)
	return body
}

// pieceEnd returns where the first piece of text ends that is short enough to be parsed: at
// a line break or, in longer lines, at a blank.
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

// Unfinished reports whether a program that reads lang would ask for more after
// text: an open quote, bracket or heredoc, a backslash or an operator at the end; in
// SQL the semicolon that is missing.
func Unfinished(lang Lang, text string) bool {
	switch lang {
	case Shell:
		if len(text) > maxPiece || depth(text) > maxDepth {
			return false
		}
		line := strings.TrimRight(text, "\n")
		if slashes := len(line) - len(strings.TrimRight(line, `\`)); slashes%2 == 1 {
			return true
		}
		_, err := newParser().Parse(strings.NewReader(text), "")
		return err != nil && (syntax.IsIncomplete(err) || heredocEnds(text) != "")
	case SQL:
		return unfinishedSQL(text)
	case Python, Node, Ruby, Perl, Mongo:
		open := 0
		for _, t := range tokens(lang, text) {
			open += opens[t.sign()]
		}
		return open > 0
	}
	return false
}

// loose reads text that the parser does not take: what is half typed, another shell's
// syntax, or nested too deep. It is cut into commands at operators and brackets, quoted or
// not, which misses what only a tree shows, and says too much rather than too little.
func (s *shell) loose(text string) {
	commands := strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("\n\r;|&()`{}", r) })
	for command := range commands {
		var args []field
		for word := range strings.FieldsSeq(unquoted.Replace(command)) {
			args = append(args, field{s: s.tilde(word, word)})
		}
		s.run(args, stream{})
	}
}

// unquoted takes quotes off, and leaves what is expanded untold.
var unquoted = strings.NewReplacer(`'`, "", `"`, "", `\`, "", string(unknown), "", "$", string(unknown))

// isLetter reports whether c can stand in the name of a variable.
func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
