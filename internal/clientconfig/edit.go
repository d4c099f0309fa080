package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
)

// bom is the byte order mark that some editors write before UTF-8.
const bom = "\ufeff"

// defaultIndent is the indentation step of a file without indented lines.
const defaultIndent = "  "

// A file is a text that is being edited, and the document that the edited text must decode to.
type file struct {
	client Client
	name   string // of the server
	text   []byte
	doc    map[string]any
}

// An editor edits the text of a file in its syntax.
type editor interface {
	// decode parses the text.
	decode() (map[string]any, error)
	// insert adds the entry of a server.
	insert(s Server) error
	// update changes the entry of the server.
	update(u diff) error
	// cut removes the entry of the server, and with the last entry the object of servers.
	cut(last bool) error
	// object returns the syntax's word for an object, with its article.
	object() string
}

// open returns a file and its editor.
func (c Client) open(text []byte, name string) (*file, editor) {
	f := &file{client: c, name: name, text: text}
	switch c.syntax {
	case tomlText:
		return f, tomlFile{f}
	case yamlText:
		return f, yamlFile{f}
	}
	return f, jsonFile{f}
}

// editServers is edited for a file with servers.
func (c Client) editServers(data []byte, s Server, remove bool) ([]byte, error) {
	text, marked := bytes.CutPrefix(data, []byte(bom))
	f, e := c.open(text, s.Name)
	servers, err := f.read(e)
	if err != nil {
		return nil, err
	}
	edit := f.merge
	if remove {
		edit = f.remove
	}
	switch changed, err := edit(e, servers, s); {
	case err != nil:
		return nil, err
	case !changed:
		return data, nil
	}
	got, err := e.decode()
	if _, kept := got[c.table]; err == nil && !kept && len(servers) == 0 {
		delete(f.doc, c.table)
	}
	if err != nil || !reflect.DeepEqual(got, f.doc) {
		return nil, errors.Join(fmt.Errorf("%w: edit %q in %q by hand", ErrByHand, s.Name, c.table), err)
	}
	if marked {
		return append([]byte(bom), f.text...), nil
	}
	return f.text, nil
}

// read parses the file and returns the object of servers, or a new one that is not in the
// document yet.
func (f *file) read(e editor) (servers map[string]any, err error) {
	if f.doc, err = e.decode(); err != nil {
		return nil, err
	}
	switch servers := f.doc[f.client.table].(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return servers, nil
	}
	return nil, fmt.Errorf("%w: %q is not %s", ErrByHand, f.client.table, e.object())
}

// merge adds the server to the file, or updates its entry.
func (f *file) merge(e editor, servers map[string]any, s Server) (changed bool, err error) {
	old, exists := servers[s.Name]
	if !exists {
		entry, err := f.client.entry(s)
		if err != nil {
			return false, err
		}
		servers[s.Name] = entry
		f.doc[f.client.table] = servers
		return true, e.insert(s)
	}
	have, ok := old.(map[string]any)
	if !ok {
		return false, fmt.Errorf("%w: %q is not %s; remove it, or choose another name", ErrTaken, s.Name, e.object())
	}
	u, err := f.client.update(have, s)
	if err != nil || !u.changes() {
		return false, err
	}
	return true, e.update(u)
}

// entry returns a server's new entry in decoded form.
func (c Client) entry(s Server) (any, error) {
	f, e := c.open(nil, s.Name)
	if err := e.insert(s); err != nil {
		return nil, err
	}
	servers, err := f.read(e)
	return servers[s.Name], err
}

// remove removes the server from the file.
func (f *file) remove(e editor, servers map[string]any, s Server) (changed bool, err error) {
	old, exists := servers[s.Name]
	if !exists {
		return false, nil
	}
	if err := f.client.ours(old, s.Name); err != nil {
		return false, err
	}
	delete(servers, s.Name)
	return true, e.cut(len(servers) == 0)
}
