package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
)

// bom is the byte order mark that some editors put before UTF-8.
const bom = "\ufeff"

// defaultIndent is the step of a file that shows none.
const defaultIndent = "  "

// A file is a text during an edit, and the document that the edited text must mean.
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
	// object is the word for an object, with its article.
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

// edit applies change to a file and its document, and returns the new text, or data itself
// when change reports no change.
func (c Client) edit(data []byte, name string, change func(e editor, f *file, servers map[string]any) (bool, error)) ([]byte, error) {
	text, marked := bytes.CutPrefix(data, []byte(bom))
	f, e := c.open(text, name)
	servers, err := f.read(e)
	if err != nil {
		return nil, err
	}
	switch changed, err := change(e, f, servers); {
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
		return nil, errors.Join(fmt.Errorf("%w: edit %q in %q by hand", ErrByHand, name, c.table), err)
	}
	if marked {
		return append([]byte(bom), f.text...), nil
	}
	return f.text, nil
}

// read parses the file and returns the object of servers, which may be new.
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

// merge puts the server into the file.
func (f *file) merge(e editor, servers map[string]any, s Server) (changed bool, err error) {
	old, there := servers[s.Name]
	if !there {
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

// entry returns the document of a server's entry in a new file.
func (c Client) entry(s Server) (any, error) {
	f, e := c.open(nil, s.Name)
	if err := e.insert(s); err != nil {
		return nil, err
	}
	servers, err := f.read(e)
	return servers[s.Name], err
}

// remove takes the server out of the file.
func (f *file) remove(e editor, servers map[string]any) (changed bool, err error) {
	old, there := servers[f.name]
	if !there {
		return false, nil
	}
	if err := f.client.ours(old, f.name); err != nil {
		return false, err
	}
	delete(servers, f.name)
	return true, e.cut(len(servers) == 0)
}
