package danger

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// event finds an expansion of the history: the line (!!, !echo, none for the last) and the
// words of it ($ or *), or ^old^new^.
var event = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:!(!|[A-Za-z_./~][^\s:;&|<>()"'$*^%-]*)?(:?[$*])?|\^([^^\n]+)\^([^^\n]*)\^?)`)
})

// History returns text as bash and zsh read it after history expansion: !!, !echo, !$,
// ^old^new^. past holds the lines submitted before it, oldest first, with "" for one that
// is not known. An expansion whose meaning cannot be told is a finding.
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
			if line, end := expand(rest, past); end > 0 && begin == 0 {
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
			if m := heredocStart.get().FindStringSubmatch(rest); m != nil && strings.HasPrefix(rest, m[0]) {
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

// expand returns what the expansion at the beginning of text stands for, and how far it
// reaches: 0 when that cannot be told, as of other words of a line, and those of one with
// quotes or operators.
func expand(text string, past []string) (string, int) {
	m := event().FindStringSubmatch(text)
	if m == nil || m[1]+m[2]+m[3] == "" {
		return "", 0
	}
	next := text[len(m[0]):]
	if len(next) > 1 && next[0] == ':' && strings.IndexByte(" \t\n", next[1]) < 0 {
		return "", 0
	}
	line := recall(past, strings.TrimPrefix(m[1], "!"))
	if words := strings.Fields(line); m[2] != "" && len(words) > 0 {
		switch {
		case strings.ContainsAny(line, "'\"`\\;&|<>()"):
			return "", 0
		case strings.HasSuffix(m[2], "$"):
			line = words[len(words)-1]
		default:
			line = strings.Join(words[1:], " ")
		}
	}
	if line == "" || !strings.Contains(line, m[3]) {
		return "", 0
	}
	return strings.Replace(line, m[3], m[4], 1), len(m[0])
}

// recall returns the latest line with a prefix; none when one that is not known, or that
// the shell may not have kept as it stands, comes first: a list, whose lines it joins, or
// one that begins with a blank.
func recall(past []string, prefix string) string {
	for _, line := range slices.Backward(past) {
		if line == "" || line[0] == ' ' || strings.Contains(line, "\n") {
			return ""
		}
		if strings.HasPrefix(line, prefix) {
			return line
		}
	}
	return ""
}
