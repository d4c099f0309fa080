package clientconfig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// A Server is what a client is to start.
type Server struct {
	Name    string // letters, digits, - and _
	Command string
	Args    []string
}

// namePattern is what every client takes as a name, and TOML as a bare key.
var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`) })

func (s Server) check() error {
	if !namePattern().MatchString(s.Name) {
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
// keeps its other fields, and the arguments that setup does not know; the error is
// ErrTaken when it does not start this program.
func (c Client) Merge(data []byte, s Server) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	switch c.syntax {
	case skillText:
		return mergeSkill(data, s)
	case sectionText:
		return mergeSection(data, s)
	}
	return c.edit(data, s.Name, func(e editor, f *file, servers map[string]any) (bool, error) { return f.merge(e, servers, s) })
}

// Remove returns a client's file without the server of a name, and everything else as
// it was. It returns data itself when the server is not there, and nil when nothing is
// left of the file. The error is ErrTaken when the name is that of another program.
func (c Client) Remove(data []byte, name string) ([]byte, error) {
	if err := (Server{Name: name}).check(); err != nil {
		return nil, err
	}
	rest, err := c.remove(data, name)
	if text := string(bytes.TrimSpace(rest)); err == nil && !bytes.Equal(rest, data) && (text == "" || text == "{}") {
		return nil, nil
	}
	return rest, err
}

// remove is Remove, which may leave an empty document.
func (c Client) remove(data []byte, name string) ([]byte, error) {
	switch c.syntax {
	case skillText:
		return removeSkill(data)
	case sectionText:
		return removeSection(data)
	}
	return c.edit(data, name, func(e editor, f *file, servers map[string]any) (bool, error) { return f.remove(e, servers) })
}

// ours checks that an entry starts glasstty.
func (c Client) ours(entry any, name string) error {
	m, ok := entry.(map[string]any)
	if !ok {
		return fmt.Errorf("%w: %q is not a server of ours; remove it by hand", ErrTaken, name)
	}
	line, err := c.lineOf(m, name)
	if err != nil {
		return err
	}
	_, err = ownArgs(line, name)
	return err
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
