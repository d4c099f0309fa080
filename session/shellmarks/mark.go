package shellmarks

import (
	"net/url"
	"strconv"
	"strings"
)

// A Mark is what one OSC 133 mark says.
type Mark struct {
	Letter  byte // 'A', 'B', 'C' or 'D'
	Trusted bool // it carries the session's nonce
	// Weak is set by a REPL that draws its prompt, with its marks, at every key:
	// they do not say that it waits.
	Weak bool
	// Secondary is set in the A and B of a prompt for a further line of a command.
	Secondary  bool
	Exit       int // the exit status in a D
	HasExit    bool
	Command    string // the command's text in a C
	HasCommand bool
}

// ParseMark reads the parameters that followed a mark's letter, split at ';'.
// Of those that it does not know it takes no notice. nonce is the Setup's; with
// an empty one no mark is Trusted.
func ParseMark(letter byte, params []string, nonce string) Mark {
	m := Mark{Letter: letter}
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

// ParseCwd reads what OSC 7 says: a file URL with the host's name, which may be
// empty, and a path. Bytes that a URL would have encoded are taken as they are.
// ok is false for anything else.
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
