package guard

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/internal/danger"
)

// textIn translates a line to the syntax that package danger expects for lang. For shells this is bash's
// syntax: textIn translates what zsh and fish read differently. If the program does not expand history, it
// also removes each ! and ^ that bash would expand: danger would not see the command behind such a sign.
func (p *Program) textIn(lang danger.Lang, line string) string {
	if lang != danger.Shell {
		return line
	}
	if p.Literal {
		line = historySign().ReplaceAllString(line, "$1$2") // in IPython, ! begins a command
	}
	switch {
	case p.Shell == "zsh":
		// At its prompt, zsh has no comments (INTERACTIVE_COMMENTS, zshoptions(1)).
		return commentSign().ReplaceAllString(line, `$1\#`)
	case p.Shell == "fish":
		return fishList().ReplaceAllString(fishQuotes(line), `$1$2=($3)`)
	}
	return line
}

// historySign matches ! and ^ where bash would insert a part of an earlier line.
var historySign = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(^\s*|[\s;&|(])!+($|[^!\s=(])|^\s*\^`) })

// commentSign matches # where a word begins.
var commentSign = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[\s;&|(])#`) })

// fishList matches fish's command that sets a variable to a list of plain words.
var fishList = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(^\s*|[;&|]\s*|\b(?:and|or|begin|if|while|not|else)\s+)set(?:\s+--?[A-Za-z-]+)*\s+([A-Za-z_][A-Za-z0-9_]*)((?:\s+(?:'[^']*'|"[^"$` + "`" + `]*"|[^\s;|&()$'"<>` + "`" + `]+))+)`)
})

// fishQuotes translates what fish writes differently from bash: \' and \\ in single quotes, and,
// outside quotes, characters as numbers (\x41) and command substitutions without a dollar sign
// (fish-language(1), Escaping Characters and Command substitution).
func fishQuotes(line string) string {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '(' && quote == 0 && (i == 0 || line[i-1] != '$'):
			b.WriteString("$(")
		case c != '\\' || i+1 == len(line):
			if quote == 0 && (c == '\'' || c == '"') {
				quote = c
			} else if c == quote {
				quote = 0
			}
			b.WriteByte(c)
		case quote == '\'' && line[i+1] == '\'':
			b.WriteString(`'\''`)
			i++
		case quote == '\'' && line[i+1] == '\\':
			b.WriteByte(c)
			i++
		case quote == '\'':
			b.WriteByte(c)
		default:
			if code := fishCode().FindString(line[i:]); quote == 0 && code != "" {
				digits, base := strings.TrimLeft(code, `\xXuU`), 16
				if code[1] <= '7' {
					base = 8
				}
				char, _ := strconv.ParseUint(digits, base, 32) // fishCode matches at most eight digits of this base
				b.WriteString(`"` + string(rune(char)) + `"`)
				i += len(code) - 1
				continue
			}
			b.WriteString(line[i : i+2])
			i++
		}
	}
	return b.String()
}

// fishCode matches an escape that gives a character by its code, such as \x41.
var fishCode = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\\(?:[xX][0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3})`)
})
