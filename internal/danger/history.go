package danger

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// event finds an expansion of the history: the line (!!, !-1, !echo, !?one?, none for the
// last) and the words of it ($ or *), or ^old^new^.
var event = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:!(!|-1|#|\?[^?\n]*\??|[A-Za-z_./~][^\s:;&|<>()"'$*^%-]*)?(:?[$*])?|\^([^^\n]+)\^([^^\n]*)\^?)`)
})

// History returns text as bash and zsh read it after history expansion: !!, !echo:1,
// !$, ^old^new^ and their like. past holds the lines submitted before it, oldest first,
// with "" for one that is not known. What an expansion stands for when it cannot be
// told is a finding.
func (c *Checker) History(text string, past []string) (string, []Finding) {
	if !strings.ContainsAny(text, "!^") || c.rules.allows(text) {
		return text, nil
	}
	var out strings.Builder
	var lost []Finding
	quote, begin, ends := byte(0), 0, []string(nil) // begin: of the line in out; ends: of heredocs
	for i := 0; i < len(text); {
		ch, rest, n := text[i], text[i:], 1
		switch {
		case ch == '\\' && quote != '\'':
			n = min(2, len(rest))
		case (ch == '\'' || ch == '"') && (quote == 0 || quote == ch):
			quote ^= ch
		case quote == '\'':
		case ch == '^' && out.Len() == begin && quote == 0, ch == '!' && recalls(rest[1:], text[:i], quote):
			if line, end := expand(rest, out.String(), begin, past); end > 0 {
				out.WriteString(line)
				i += end
				continue
			}
			lost = []Finding{{Rule: "unreadable", What: shown(rest[:lineEnd(rest)]), Why: "runs words of the shell's history that cannot be seen here"}}
		case quote != 0:
		case ch == '\n':
			n += bodies(rest[1:], ends)
			ends, begin = nil, out.Len()+n
		case strings.HasPrefix(rest, "<<<"):
			n = 3
		case strings.HasPrefix(rest, "<<"):
			if m := heredocStart().FindStringSubmatch(rest); m != nil && strings.HasPrefix(rest, m[0]) {
				ends, n = append(ends, strings.Join(m[1:], "")), len(m[0])
			}
		case ch == '#' && (i == 0 || strings.IndexByte(" \t\n;&|(", text[i-1]) >= 0):
			n = lineEnd(rest)
		}
		out.WriteString(rest[:n])
		i += n
	}
	return out.String(), lost
}

// bodies returns how far the bodies of heredocs reach that text begins with, in which
// shells expand nothing.
func bodies(text string, ends []string) (n int) {
	for _, end := range ends {
		if body, _, ok := cutBody(text[n:], end); ok {
			n = min(n+len(body)+len("\n")+len(end), len(text))
		}
	}
	return n
}

// lineEnd returns how far text's first line reaches.
func lineEnd(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}

// recalls reports whether a ! between before and rest refers to the history, as bash has it.
func recalls(rest, before string, quote byte) bool {
	return rest != "" && strings.IndexByte(" \t\r\n=(", rest[0]) < 0 && !(quote == '"' && rest[0] == '"') &&
		!strings.HasSuffix(before, "$") && !strings.HasSuffix(before, "${") && !(strings.HasSuffix(before, "[") && strings.Contains(rest, "]"))
}

// expand returns what the expansion at the beginning of text stands for, behind what the
// shell has read, and how far it reaches: 0 when that cannot be told, as of other words of
// a line, and those of one with quotes or operators.
func expand(text, read string, begin int, past []string) (string, int) {
	m := event().FindStringSubmatch(text)
	if m == nil || m[1]+m[2]+m[3] == "" {
		return "", 0
	}
	name, old := m[1], m[3]
	if next := text[len(m[0]):]; len(next) > 1 && next[0] == ':' && strings.IndexByte(" \t\n", next[1]) < 0 || name == "-1" && leadingDigits(next) != "" {
		return "", 0
	}
	line, ok := read[begin:], true
	if name != "#" {
		line, ok = recall(read[:begin], past, func(line string) bool {
			some, any := strings.CutPrefix(name, "?")
			return any && strings.Contains(line, strings.TrimSuffix(some, "?")) || strings.HasPrefix(line, name) || name == "!" || name == "-1"
		})
	}
	if words := strings.Fields(line); m[2] != "" && ok {
		ok = len(words) > 0 && !strings.ContainsAny(line, "'\"`\\;&|<>()")
		if from := len(words) - 1; ok && strings.HasSuffix(m[2], "$") {
			line = words[from]
		} else if ok {
			line = strings.Join(words[1:], " ")
		}
	}
	if !ok || !strings.Contains(line, old) {
		return "", 0
	}
	return strings.Replace(line, old, m[4], 1), len(m[0])
}

// recall returns the latest line that fits; not when one that is not known, or that the
// shell may not have kept as it stands, comes first: a list, whose lines it joins, or one
// that begins with a blank. read is what stands before it in the same text.
func recall(read string, past []string, fits func(string) bool) (string, bool) {
	if read != "" {
		past = []string{lastLine(strings.TrimSuffix(read, "\n"))}
	}
	for _, line := range slices.Backward(past) {
		if line == "" || line[0] == ' ' || strings.Contains(line, "\n") {
			return "", false
		}
		if fits(line) {
			return line, true
		}
	}
	return "", false
}

// lastLine returns the last line of text, when it is one that a shell keeps by itself:
// the text ends there, and the line begins a command.
func lastLine(text string) string {
	if len(text) > maxPiece || depth(text) > maxDepth {
		return ""
	}
	file, err := newParser().Parse(strings.NewReader(text), "")
	if err != nil || len(file.Stmts) == 0 || int(file.Stmts[len(file.Stmts)-1].Pos().Line()) != strings.Count(text, "\n")+1 {
		return ""
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// leadingDigits returns the digits that text begins with.
func leadingDigits(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
}
