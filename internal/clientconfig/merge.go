package clientconfig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// A Server is what a client is to start.
type Server struct {
	Name    string // letters, digits, - and _
	Command string
	Args    []string
}

// namePattern is what every client takes as a name, and TOML as a bare key.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (s Server) check() error {
	if !namePattern.MatchString(s.Name) {
		return fmt.Errorf("name %q; allowed are 1 to 64 letters, digits, - and _", s.Name)
	}
	return nil
}

// Snippet returns what to put into the client's file by hand.
func (c Client) Snippet(s Server) (string, error) {
	out, err := c.Merge(nil, s)
	return string(out), err
}

// Merge returns a client's file with the server in it, and everything else as it
// was. It returns data itself when nothing is to be done. An entry of that name
// keeps its other fields and its arguments; the error is ErrTaken when it does
// not start this program.
func (c Client) Merge(data []byte, s Server) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if c.syntax == tomlText {
		return c.mergeTOML(data, s)
	}
	return c.mergeJSON(data, s)
}

// ours checks an entry that is there already: of another program's arguments we
// cannot know what our command would do with them.
func ours(entry map[string]any, s Server) error {
	command, ok := entry["command"].(string)
	if !ok {
		return fmt.Errorf("%w: %q has no command; remove it, or choose another name", ErrTaken, s.Name)
	}
	args, ok := entry["args"].([]any)
	if entry["args"] != nil && !ok {
		return fmt.Errorf("%w: the args of %q are no list; remove it, or choose another name", ErrTaken, s.Name)
	}
	if len(args) == 0 {
		return nil
	}
	if first, ok := args[0].(string); !ok || first != "mcp" && !strings.HasPrefix(first, "--") {
		return fmt.Errorf("%w: %q starts %q with %v; remove it, or choose another name", ErrTaken, s.Name, command, args)
	}
	return nil
}

// newline returns how a file ends its lines.
func newline(data []byte) string {
	if bytes.Contains(data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// quote writes a string as JSON has it, which TOML reads too.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// quoteList writes a list of strings on one line.
func quoteList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
