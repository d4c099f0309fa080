package shellmarks

import (
	"net/url"
	"strconv"
	"strings"
)

// A Mark is a parsed OSC 133 mark.
type Mark struct {
	Trusted bool // the mark contains the session's nonce, so the shell has written it
	// Weak is set in the marks of a REPL that draws its prompt, marks included, at every key. Such
	// a mark does not mean that the REPL waits for input.
	Weak bool
	// Secondary is set in the marks A and B of a continuation prompt.
	Secondary  bool
	Exit       int    // the exit status in a mark D
	HasExit    bool   // the mark is a D with an exit status
	Command    string // the command's text in a mark C
	HasCommand bool   // the mark is a C with a text that can be decoded
}

// ParseMark parses params, the parameters after a mark's letter, split at ';'. It ignores unknown
// parameters. If nonce, which Prepare has returned in Setup.Nonce, is empty, no mark is Trusted.
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

// ParseCwd reads the text of OSC 7: a file URL with a host name, which may be empty, and a path. It
// accepts bytes that a URL should escape, but no NUL. If text is anything else, ok is false.
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
