package clientconfig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A jsonFile is a JSON file, with or without comments.
type jsonFile struct{ *file }

// decode parses the file. An empty file is decoded as an empty object.
func (f jsonFile) decode() (map[string]any, error) {
	if len(bytes.TrimSpace(f.text)) == 0 {
		return map[string]any{}, nil
	}
	v, err := hujson.Parse(bytes.Clone(f.text)) // a copy, because Standardize changes it
	if err != nil {
		return nil, fmt.Errorf("%w JSON: %w", ErrSyntax, err)
	}
	if f.client.syntax == strictJSON && !v.IsStandard() {
		return nil, fmt.Errorf("%w JSON: it has comments or trailing commas, which %s does not read", ErrSyntax, f.client.Title)
	}
	v.Standardize()
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(v.Pack()))
	d.UseNumber()
	if err := d.Decode(&m); err != nil || m == nil {
		return nil, fmt.Errorf("%w: the file holds no JSON object", ErrSyntax)
	}
	return m, nil
}

// root parses the text. It ignores the error, because decode has parsed the text without an error.
func (f jsonFile) root() *hujson.Value {
	v, _ := hujson.Parse(f.text)
	return &v
}

// table returns the JSON pointer (RFC 6901) of the object of servers. Names of tables and servers
// have no characters that must be escaped.
func (f jsonFile) table() string { return "/" + f.client.table }

// entry returns the JSON pointer of the server's entry.
func (f jsonFile) entry() string { return f.table() + "/" + serverName }

// insert adds the server after the others.
func (f jsonFile) insert(s Server) error {
	if len(bytes.TrimSpace(f.text)) == 0 {
		f.text = []byte("{}" + newline(f.text))
	}
	var fields []string
	for _, field := range f.client.fields(s) {
		fields = append(fields, quote(field.name)+":"+field.json)
	}
	entry := "{" + strings.Join(fields, ",") + "}"
	if f.root().Find(f.table()) == nil {
		return f.add("", field{f.client.table, "{" + quote(serverName) + ":" + entry + "}"})
	}
	return f.add(f.table(), field{serverName, entry})
}

// set replaces the value of a field, or adds the field.
func (f jsonFile) set(to field) error {
	v := f.root().Find(f.entry() + "/" + to.name)
	if v == nil {
		return f.add(f.entry(), to)
	}
	f.text = splice(f.text, span{v.StartOffset, v.EndOffset}, to.json)
	return nil
}

// object returns the object that a JSON pointer names. If an object has two members of the same
// name, Find returns the first and decode the last.
func object(root *hujson.Value, pointer string) (*hujson.Value, *hujson.Object, error) {
	if v := root.Find(pointer); v != nil {
		if obj, ok := v.Value.(*hujson.Object); ok {
			return v, obj, nil
		}
	}
	return nil, nil, fmt.Errorf("%w: %q is not an object", ErrNotEditable, pointer)
}

// cut removes the server or, if last, the object of servers. It keeps the comments around them.
func (f jsonFile) cut(last bool) error {
	root := f.root()
	pointer, name := "", f.client.table
	if !last {
		pointer, name = f.table(), serverName
	}
	_, obj, err := object(root, pointer)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(obj.Members, func(m hujson.ObjectMember) bool { return m.Name.Value.(hujson.Literal).String() == name })
	if i < 0 {
		return nil // a second object with the same name has the server; editServers returns an error
	}
	m := obj.Members[i]
	obj.Members = slices.Delete(obj.Members, i, i+1)
	next := &obj.AfterExtra
	if i < len(obj.Members) {
		next = &obj.Members[i].Name.BeforeExtra
	} else if i > 0 {
		obj.Members[i-1].Value.AfterExtra = m.Value.AfterExtra // a comma follows if one followed m
	}
	*next = slices.Concat(bytes.TrimRight(m.Name.BeforeExtra, blanks), *next)
	if len(obj.Members) > 0 && !bytes.Contains(obj.Members[0].Name.BeforeExtra, []byte("\n")) { // on one line
		obj.AfterExtra = bytes.TrimRight(obj.AfterExtra, blanks)
	}
	f.text = root.Pack()
	return nil
}

// blanks are the white space of JSON (RFC 8259, section 2).
const blanks = " \t\r\n"

// add adds a member at the end of the object that pointer names.
func (f jsonFile) add(pointer string, m field) error {
	root := f.root()
	v, obj, err := object(root, pointer)
	if err != nil {
		return err
	}
	nl, step, outer := newline(f.text), f.indentStep(), indentAt(f.text, v.StartOffset)
	indent := outer + step
	comments := bytes.TrimRight(obj.AfterExtra, blanks)
	rest := obj.AfterExtra[len(comments):]
	if !bytes.Contains(rest, []byte("\n")) {
		rest = []byte(nl + outer)
	}
	var after []byte // not nil if a comma followed the last member
	if n := len(obj.Members); n > 0 {
		if at := obj.Members[0].Name.StartOffset; startsLine(f.text, at) {
			indent = indentAt(f.text, at)
		}
		last := &obj.Members[n-1].Value
		after, last.AfterExtra = last.AfterExtra, nil
	}
	var value bytes.Buffer
	if err := json.Indent(&value, []byte(m.json), indent, step); err != nil {
		return err
	}
	obj.Members = append(obj.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: slices.Concat(comments, []byte(nl+indent)), Value: hujson.String(m.name)},
		Value: hujson.Value{BeforeExtra: []byte(" "), Value: hujson.Literal(bytes.ReplaceAll(value.Bytes(), []byte("\n"), []byte(nl))), AfterExtra: after},
	})
	obj.AfterExtra = rest
	f.text = root.Pack()
	return nil
}

// indentStep returns the indentation of the file's first member, or defaultIndent.
func (f jsonFile) indentStep() string {
	if obj, ok := f.root().Value.(*hujson.Object); ok && len(obj.Members) > 0 {
		if at := obj.Members[0].Name.StartOffset; startsLine(f.text, at) && indentAt(f.text, at) != "" {
			return indentAt(f.text, at)
		}
	}
	return defaultIndent
}
