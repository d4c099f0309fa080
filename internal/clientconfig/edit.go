package clientconfig

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// defaultIndent is the indentation step of a file without indented lines.
const defaultIndent = "  "

// A file is a text that is being edited.
type file struct {
	client Client
	text   []byte
}

// An editor edits the text of a file in its syntax. An edit may go wrong for unusual texts:
// editServers checks the result.
type editor interface {
	// decode parses the text.
	decode() (map[string]any, error)
	// insert adds the server's entry.
	insert(s Server) error
	// set changes a field of the server's entry.
	set(to field) error
	// cut removes the server's entry. If last is true, the file has no other entry, and cut may
	// remove the whole object that contains the servers.
	cut(last bool) error
}

// open returns a file and its editor.
func (c Client) open(text []byte) (*file, editor) {
	f := &file{client: c, text: text}
	switch c.syntax {
	case tomlText:
		return f, tomlFile{f}
	case yamlText:
		return f, yamlFile{f}
	}
	return f, jsonFile{f}
}

// notEditable returns the error that asks the user to set a field by hand.
func (f *file) notEditable(to field) error {
	return fmt.Errorf("%w: set %q of %q in %q to %s by hand", ErrNotEditable, to.name, serverName, f.client.table, to.json)
}

// editServers implements edit for a file with servers.
func (c Client) editServers(data []byte, s Server, remove bool) ([]byte, error) {
	f, e := c.open(data)
	old, err := e.decode()
	if err != nil {
		return nil, err
	}
	servers, ok := old[c.table].(map[string]any)
	if !ok && old[c.table] != nil {
		return nil, fmt.Errorf("%w: %q is not an object", ErrNotEditable, c.table)
	}
	want := s.argv()
	switch _, exists := servers[serverName]; {
	case !exists && remove:
		return data, nil
	case !exists:
		err = e.insert(s)
	default:
		var line []string
		if line, want, err = c.commandLines(servers[serverName], s); err != nil {
			return nil, err
		}
		if remove {
			err, want = e.cut(len(servers) == 1), nil
		} else if slices.Equal(line, want) {
			return data, nil
		} else {
			err = f.replace(e, line, want)
		}
	}
	if err != nil {
		return nil, err
	}
	if got, err := e.decode(); err != nil || !c.onlyEntryDiffers(old, got, want) {
		return nil, errors.Join(fmt.Errorf("%w: edit %q in %q by hand", ErrNotEditable, serverName, c.table), err)
	}
	return f.text, nil
}

// replace changes the fields of the server's entry in which the command lines line and want differ.
func (f *file) replace(e editor, line, want []string) error {
	old := f.client.commandFields(line)
	for i, to := range f.client.commandFields(want) {
		if to == old[i] {
			continue
		}
		if err := e.set(to); err != nil {
			return err
		}
	}
	return nil
}

// onlyEntryDiffers reports whether the decoded files old and got differ only in the server's command
// line, and got has the command line want. If want is nil, got must not have the server. It modifies
// old and got.
func (c Client) onlyEntryDiffers(old, got map[string]any, want []string) bool {
	before, after := c.removeEntry(old), c.removeEntry(got)
	switch {
	case !reflect.DeepEqual(old, got):
		return false
	case want == nil:
		return after == nil
	}
	line, err := c.commandLineOf(after)
	return err == nil && slices.Equal(line, want) && (before == nil || reflect.DeepEqual(c.otherFields(before), c.otherFields(after)))
}

// removeEntry removes the server's entry from a decoded file, and the object of servers if no entry
// is left. It returns the entry, or nil if the file has none.
func (c Client) removeEntry(doc map[string]any) any {
	servers, _ := doc[c.table].(map[string]any)
	entry := servers[serverName]
	delete(servers, serverName)
	if len(servers) == 0 {
		delete(doc, c.table)
	}
	return entry
}

// otherFields returns the fields of an entry except those of the command line.
func (c Client) otherFields(entry any) map[string]any {
	fields, _ := entry.(map[string]any)
	fields = maps.Clone(fields)
	delete(fields, c.shape.command)
	delete(fields, c.shape.args)
	return fields
}
