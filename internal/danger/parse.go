package danger

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The bounds of parsing. The parser recurses, and takes more than linear time on
// brackets nested by the thousand.
const (
	maxPiece = 32 << 10 // bytes parsed at once
	maxDepth = 400      // brackets and openings in a piece
)

// A reader parses, and remembers what was said of the first text: the line itself.
type reader struct {
	parser   *syntax.Parser // nil until something is parsed
	parsed   string
	parseErr error
}

// zshRedirects are redirections of zsh and fish, and what stands for them in bash.
var zshRedirects = strings.NewReplacer(">! ", ">| ", ">&! ", ">& ", ">? ", "> ")

// parse returns text as a tree. Text that was begun and not ended, as a heredoc
// of which only the first lines were typed, is ended.
func (k *reader) parse(given string) (*syntax.File, error) {
	text := strings.ReplaceAll(given, "\r\n", "\n")
	text = zshRedirects.Replace(text)
	text = strings.Map(func(r rune) rune {
		switch r {
		case unknown:
			return -1
		case '\r':
			return '\n'
		}
		return r
	}, text)
	if depth(text) > maxDepth {
		return nil, errDepth
	}
	if k.parser == nil {
		k.parser = newParser()
	}
	file, err := k.parser.Parse(strings.NewReader(text), "")
	if k.parsed == "" && text == given {
		k.parsed, k.parseErr = text, err
	}
	if err == nil {
		return file, nil
	}
	if ends := heredocEnds(text); ends != "" {
		return k.parser.Parse(strings.NewReader(text+ends), "")
	}
	return nil, err
}

// newParser returns a parser of the shell's language.
func newParser() *syntax.Parser { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }

// errDepth is why a text is not parsed.
var errDepth = syntax.ParseError{Text: "nested too deep"}

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

// heredocStart finds the start of a heredoc and its delimiter.
var heredocStart = regexp.MustCompile(`<<-?[ \t]*\\?(?:'([^'\n]{1,100})'|"([^"\n]{1,100})"|([A-Za-z0-9_.!+-]{1,100}))`)

// maxHeredocs is how many heredocs of a text are ended.
const maxHeredocs = 8

// heredocEnds returns what ends the heredocs that text leaves open.
func heredocEnds(text string) string {
	var ends strings.Builder
	for _, m := range heredocStart.FindAllStringSubmatch(text, maxHeredocs) {
		delim := m[1] + m[2] + m[3]
		if !strings.Contains(text, "\n"+delim+"\n") && !strings.HasSuffix(text, "\n"+delim) {
			ends.WriteString("\n" + delim)
		}
	}
	if ends.Len() == 0 {
		return ""
	}
	return ends.String() + "\n"
}

// Unfinished reports whether a program that reads lang would ask for more after
// text: an open quote, bracket or heredoc, a backslash or an operator at the end; in
// SQL the semicolon that is missing.
func Unfinished(lang Lang, text string) bool {
	switch lang {
	case Shell:
		return unfinishedShell(text, func() error {
			_, err := newParser().Parse(strings.NewReader(text), "")
			return err
		})
	case SQL:
		return unfinishedSQL(text)
	case Python, Node, Ruby, Perl, Mongo:
		open := 0
		for _, t := range tokens(lang, text) {
			if t.kind == isSign {
				open += strings.Count("([{", t.text) - strings.Count(")]}", t.text)
			}
		}
		return open > 0
	}
	return false
}

// unfinishedSQL reports whether a client of SQL waits for the end of a statement.
// Its own commands, which begin with a backslash or a point, end with their line.
func unfinishedSQL(text string) bool {
	last, own := "", false
	for _, t := range tokens(SQL, text) {
		own = own || t.text == `\` && t.kind == isSign || last == "" && t.text == "."
		if t.text != "\n" || t.kind != isSign {
			last = t.text
			if t.kind == isText {
				last = "'"
			}
		}
	}
	own = own || slices.ContainsFunc(sqlEscapes, func(p string) bool { return strings.HasPrefix(strings.TrimSpace(text), p) })
	return last != "" && last != ";" && last != "/" && last != "$$" && !own && !strings.EqualFold(last, "go")
}

// unfinishedShell is Unfinished for a shell. What the parser says of text is asked
// where it is needed.
func unfinishedShell(text string, parsed func() error) bool {
	if len(text) > maxPiece || depth(text) > maxDepth {
		return false
	}
	line := strings.TrimRight(text, "\n")
	if slashes := len(line) - len(strings.TrimRight(line, `\`)); slashes%2 == 1 {
		return true
	}
	err := parsed()
	return err != nil && (syntax.IsIncomplete(err) || heredocEnds(text) != "")
}

// pieces yields text in pieces short enough to be parsed, cut at line breaks or,
// in longer lines, at blanks.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > maxPiece {
			end := strings.LastIndexByte(text[:maxPiece], '\n')
			if end < maxPiece/2 {
				end = strings.LastIndexAny(text[:maxPiece], " \t\n;")
			}
			if end <= 0 {
				end = maxPiece - 1
			}
			if !yield(text[:end+1]) {
				return
			}
			text = text[end+1:]
		}
		if text != "" {
			yield(text)
		}
	}
}

// loose reads text that the parser does not take: what is half typed, another
// shell's syntax, or nested too deep. It is cut into commands and words at
// operators, brackets and quotes, which misses what only a tree shows, and says
// too much rather than too little.
func (s *shell) loose(text string) stream {
	for _, cmd := range looseCommands(text) {
		if !s.k.step() {
			break
		}
		if len(cmd) > 0 && looseWords[cmd[0].s] {
			cmd = cmd[1:]
		}
		for i, w := range cmd {
			cmd[i].s = s.tilde(w.s, w.s)
		}
		if len(cmd) > 0 {
			s.run(cmd, stream{})
		}
	}
	return stream{}
}

// looseWords are the shell's own words before a command.
var looseWords = map[string]bool{
	"if": true, "then": true, "else": true, "elif": true, "while": true, "until": true, "do": true,
	"!": true, "time": true, "and": true, "or": true, "not": true, "begin": true, "coproc": true, "done": true, "fi": true, "end": true,
}

// isLetter reports whether c can stand in the name of a variable.
func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// looseCommands cuts text into commands of words.
func looseCommands(text string) [][]field {
	var (
		out   [][]field
		cmd   []field
		word  strings.Builder
		has   bool
		quote byte
	)
	endWord := func() {
		if has {
			cmd = append(cmd, field{s: word.String()})
		}
		word.Reset()
		has = false
	}
	endCommand := func() {
		endWord()
		if len(cmd) > 0 {
			out = append(out, cmd)
		}
		cmd = nil
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == unknown:
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'':
			word.WriteByte(c)
		case c == '\\' && i+1 < len(text):
			if i++; text[i] != '\n' {
				word.WriteByte(text[i])
				has = true
			}
		case quote == '"' && c != '`' && (c != '$' || i+1 >= len(text) || text[i+1] != '('):
			word.WriteByte(c)
		case quote == '"':
			// What is substituted inside quotes is a command too.
			quote = 0
			endCommand()
		case (c == '\'' || c == '"') && strings.IndexByte(text[i+1:], c) >= 0:
			quote, has = c, true
		case c == '\'' || c == '"':
			endWord()
		case c == ' ' || c == '\t':
			endWord()
		case c == '(' && (has || len(cmd) > 0):
			word.WriteByte(unknown) // what fish substitutes
			has = true
			endCommand()
		case c == '$' && i+1 < len(text) && isLetter(text[i+1]):
			for i+1 < len(text) && isLetter(text[i+1]) {
				i++
			}
			word.WriteByte(unknown)
			has = true
		case strings.IndexByte("\n\r;|&()`{}", c) >= 0:
			endCommand()
		default:
			word.WriteByte(c)
			has = true
		}
	}
	endCommand()
	return out
}
