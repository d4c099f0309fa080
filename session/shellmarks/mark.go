package shellmarks

import (
	"net/url"
	"strconv"
	"strings"
)

// A Mark is a parsed OSC 133 mark.
type Mark struct {
	Trusted bool // it carries the session's nonce
	// Weak is set by a REPL that draws its prompt, with its marks, at every key: such marks
	// do not mean that it waits for input.
	Weak bool
	// Secondary is set in the A and B of a continuation prompt.
	Secondary  bool
	Exit       int // the exit status in a D
	HasExit    bool
	Command    string // the command's text in a C
	HasCommand bool
}

// ParseMark reads the parameters after a mark's letter, split at ';'. It ignores unknown
// ones. nonce is the Setup's; if it is empty, no mark is Trusted.
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
// path. It accepts bytes that should be escaped in a URL. ok is false for anything else.
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
