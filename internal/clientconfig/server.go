package clientconfig

import (
	"bytes"
	"encoding/json"
	"strings"
)

// serverName is the name of the server in clients' files.
const serverName = "glasstty"

// A Server is the command that a client starts.
type Server struct {
	Command string
	Args    []string
}

// Snippet returns the text to add to the client's file by hand.
func (c Client) Snippet(s Server) (string, error) {
	out, err := c.edit(nil, s, false)
	return string(out), err
}

// edit returns data, the text of a client's file, with the server added or, if remove is true,
// removed. It returns data if nothing changes, and nil if the removal leaves only white space or {}. An
// existing entry keeps its other fields and arguments. The error is ErrTaken if the entry starts
// another program.
func (c Client) edit(data []byte, s Server, remove bool) (out []byte, err error) {
	switch c.syntax {
	case skillText:
		out, err = editSkill(data, s, remove)
	case sectionText:
		out, err = editSection(data, s, remove)
	default:
		out, err = c.editServers(data, s, remove)
	}
	if text := string(bytes.Join(bytes.Fields(out), nil)); err == nil && remove && !bytes.Equal(out, data) && (text == "" || text == "{}") {
		return nil, nil
	}
	return out, err
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

// quoteList returns a list of strings as JSON on one line.
func quoteList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
