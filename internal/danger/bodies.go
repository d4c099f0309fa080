package danger

import (
	"fmt"
	"regexp"
	"strings"
)

// A body is the text of a heredoc whose delimiter is quoted, so that the shell does not
// look into it. A long one, such as a source file, is taken out before the parser sees
// the rest, for which its brackets would be too many.
type body struct {
	text string
	used bool // the parser has found the heredoc that it belongs to
}

// maxBodies is how many bodies are taken out of a text.
const maxBodies = 64

// quotedStart finds the start of a heredoc with a quoted delimiter.
var quotedStart = regexp.MustCompile(`<<-?[ \t]*(?:\\([A-Za-z0-9_]{1,100})|'([^'\n]{1,100})'|"([^"\n$` + "`" + `]{1,100})")`)

// takeBodies returns text with marks for the bodies of its quoted heredocs, when it is
// too long or too deep to be parsed with them, and the marks.
func (k *check) takeBodies(text string) (string, []string) {
	if len(text) <= maxPiece && depth(text) <= maxDepth || !strings.Contains(text, "<<") {
		return text, nil
	}
	var (
		out   strings.Builder
		marks []string
	)
	for len(marks) < maxBodies {
		m := quotedStart.FindStringSubmatchIndex(text)
		if m == nil {
			break
		}
		delim := ""
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				delim = text[m[g]:m[g+1]]
			}
		}
		line := strings.IndexByte(text[m[1]:], '\n')
		if line < 0 {
			break
		}
		from := m[1] + line + 1
		end := strings.Index("\n"+text[from:], "\n"+delim+"\n")
		if end < 0 && strings.HasSuffix("\n"+text[from:], "\n"+delim) {
			end = len(text) - from - len(delim)
		}
		if end < 0 {
			break
		}
		mark := fmt.Sprintf("\uE000%d", len(k.bodies))
		if k.bodies == nil {
			k.bodies = map[string]*body{}
		}
		k.bodies[mark] = &body{text: text[from : from+end]}
		marks = append(marks, mark)
		out.WriteString(text[:from] + mark + "\n")
		text = text[from+end:]
	}
	return out.String() + text, marks
}

// bodyOf returns the text of a heredoc, the one that was taken out when a mark stands
// for it.
func (k *check) bodyOf(text string) string {
	if b := k.bodies[strings.TrimSpace(text)]; b != nil {
		b.used = true
		return b.text
	}
	return text
}

// leftBodies reads the bodies that turned out to be none: what looked like the start of
// a heredoc stood in quotes.
func (s *shell) leftBodies(marks []string) {
	for _, m := range marks {
		if b := s.k.bodies[m]; !b.used {
			for piece := range pieces(b.text) {
				s.loose(piece)
			}
		}
	}
}
