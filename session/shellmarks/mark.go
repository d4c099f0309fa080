package shellmarks

import (
	"net/url"
	"strconv"
	"strings"
)

// A Mark is a parsed OSC 133 mark.
type Mark struct {
	Trusted bool // the mark contains the session's nonce
	// Weak is set in the marks of a REPL that draws its prompt, with the marks, at every key. Such
	// a mark does not mean that the REPL waits for input.
	Weak bool
	// Secondary is set in the A and B of a continuation prompt.
	Secondary  bool
	Exit       int // the exit status in a D
	HasExit    bool
	Command    string // the command's text in a C
	HasCommand bool
}

// ParseMark parses the parameters after a mark's letter, split at ';'. It ignores unknown
// parameters. nonce is that of the Setup; if it is empty, no mark is Trusted.
func ParseMark(letter byte, params []string, nonce string) Mark {
	m := Mark{}
	for i, p := range params {
		name, value, named := strings.Cut(p, "=")
		switch {
		case i == 0 && !named && letter == 'D':
			if n, err := strconv.Atoi(p); err == nil {
				m.Exit, m.HasExit = n, true
			}
		case name == "nonce":
			m.Trusted = nonce != "" && value == nonce
		case name == "weak":
			m.Weak = value == "1"
		case name == "k":
			m.Secondary = value == "s"
		case name == "cmdline_url" && letter == 'C':
			text, err := url.PathUnescape(value)
			m.Command, m.HasCommand = text, err == nil
		}
	}
	return m
}

// ParseCwd reads the text of OSC 7: a file URL with a host name, which may be empty, and a
// path. It accepts bytes that should be escaped in a URL, but no NUL. ok is false for other text.
func ParseCwd(text string) (host, path string, ok bool) {
	rest, ok := strings.CutPrefix(text, "file://")
	if !ok {
		return "", "", false
	}
	i := strings.IndexByte(rest, '/')
	if i < 0 {
		return "", "", false
	}
	path, err := url.PathUnescape(rest[i:])
	return rest[:i], path, err == nil && !strings.ContainsRune(path, 0)
}
