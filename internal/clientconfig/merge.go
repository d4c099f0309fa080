package clientconfig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// A Server is the command that a client starts.
type Server struct {
	Name    string // letters, digits, - and _
	Command string
	Args    []string
}

// namePattern matches names that every client accepts, and that are bare keys in TOML.
var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`) })

func (s Server) check() error {
	if !namePattern().MatchString(s.Name) {
		return fmt.Errorf("name %q; allowed are 1 to 64 letters, digits, - and _", s.Name)
	}
	return nil
}

// Snippet returns the text to add to the client's file by hand.
func (c Client) Snippet(s Server) (string, error) {
	out, err := c.Merge(nil, s)
	return string(out), err
}

// Merge returns a client's file with the server added and everything else unchanged, or data
// itself when the server is there already. An existing entry keeps its other fields and
// arguments; the error is ErrTaken when it starts another program.
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

// Remove returns a client's file without a server and with everything else unchanged. It
// returns data itself when the server is not there, and nil when the file would be empty. The
// error is ErrTaken when the entry starts another program.
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

// newline returns the line ending of a file.
func newline(data []byte) string {
	if bytes.Contains(data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// quote returns a string as JSON, which TOML accepts too.
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
