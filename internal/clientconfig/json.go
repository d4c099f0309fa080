package clientconfig

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A jsonFile is a file of JSON, with comments or without.
type jsonFile struct{ *file }

func (jsonFile) object() string { return "an object" }

// decode reads the whole file. An empty one is an object.
func (f jsonFile) decode() (map[string]any, error) {
	if len(bytes.TrimSpace(f.text)) == 0 {
		return map[string]any{}, nil
	}
	v, err := hujson.Parse(bytes.Clone(f.text)) // Standardize writes into it
	if err != nil {
		return nil, fmt.Errorf("%w JSON: %w", ErrSyntax, err)
	}
	if f.client.syntax == strictJSON && !v.IsStandard() {
		return nil, fmt.Errorf("%w JSON: it has comments or trailing commas, which %s does not read", ErrSyntax, f.client.Title)
	}
	table, shape := f.client.table, f.client.shape
	for _, path := range [][]string{{table}, {table, f.name}, {table, f.name, shape.command}, {table, f.name, shape.args}} {
		if err := single(&v, path...); err != nil {
			return nil, err
		}
	}
	v.Standardize()
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(v.Pack()))
	d.UseNumber()
	if err := d.Decode(&m); err != nil || m == nil {
		return nil, fmt.Errorf("%w: the file holds no JSON object", ErrSyntax)
	}
	if servers, there := m[table]; there && servers == nil {
		return nil, fmt.Errorf("%w: %q is null", ErrByHand, table)
	}
	return m, nil
}

// insert adds the server at the end of the servers.
func (f jsonFile) insert(s Server) error {
	if len(bytes.TrimSpace(f.text)) == 0 {
		f.text = []byte("{}" + newline(f.text))
	}
	table, fields := f.client.table, f.client.fields(s)
	return f.change(func(root *hujson.Value) error {
		nl, step := newline(f.text), f.step()
		if servers := find(root, table); servers != nil {
			return f.addMember(servers, s.Name, func(indent string) string { return object(fields, indent, step, nl) })
		}
		return f.addMember(root, table, func(indent string) string {
			return object([]field{{s.Name, object(fields, indent+step, step, nl)}}, indent, step, nl)
		})
	})
}

// change parses the text, has edit change the tree, and writes it.
func (f jsonFile) change(edit func(root *hujson.Value) error) error {
	root, err := hujson.Parse(f.text)
	if err != nil {
		return err
	}
	if err := edit(&root); err != nil {
		return err
	}
	f.text = root.Pack()
	return nil
}

// update changes the server's entry.
func (f jsonFile) update(u diff) error {
	shape := f.client.shape
	return f.change(func(root *hujson.Value) error {
		entry := find(root, f.client.table, f.name)
		if u.command != "" {
			find(entry, shape.command).Value = hujson.String(u.command)
		}
		if slices.Equal(u.args, u.want) {
			return nil
		}
		list := find(entry, cmp.Or(shape.args, shape.command))
		if list == nil {
			return f.addMember(entry, shape.args, func(string) string { return quoteList(u.want) })
		}
		var elements []span
		for _, e := range list.Value.(*hujson.Array).Elements {
			elements = append(elements, span{e.StartOffset, e.EndOffset})
		}
		args, err := hujson.Parse([]byte(relist(f.text, span{list.StartOffset, list.EndOffset}, elements, u)))
		list.Value = args.Value
		return err
	})
}

// cut removes the server.
func (f jsonFile) cut(last bool) error {
	return f.change(func(root *hujson.Value) error {
		if last {
			cutMember(root, f.client.table)
		} else {
			cutMember(find(root, f.client.table), f.name)
		}
		return nil
	})
}

// cutMember removes a member from an object, and keeps the comments around it.
func cutMember(v *hujson.Value, name string) {
	obj := v.Value.(*hujson.Object)
	i := slices.IndexFunc(obj.Members, func(m hujson.ObjectMember) bool { return memberName(m) == name })
	m := obj.Members[i]
	before, next := m.Name.BeforeExtra, &obj.AfterExtra
	if i+1 < len(obj.Members) {
		next = &obj.Members[i+1].Name.BeforeExtra
	} else if i > 0 {
		last := &obj.Members[i-1].Value
		if m.Value.AfterExtra == nil { // no trailing comma
			before, last.AfterExtra = slices.Concat(last.AfterExtra, before), nil
		} else {
			last.AfterExtra = append(hujson.Extra{}, last.AfterExtra...)
		}
		if !bytes.Contains(obj.Members[0].Name.BeforeExtra, []byte("\n")) { // an object on one line
			*next = bytes.TrimLeft(*next, " \t\r\n")
		}
	}
	if rest := bytes.TrimLeft(*next, " \t\r"); len(rest) == 0 || rest[0] == '\n' {
		// Remove the whole line of the member.
		before = bytes.TrimRight(before, " \t")
		before = bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r"))
	}
	*next = slices.Concat(before, *next)
	obj.Members = slices.Delete(obj.Members, i, i+1)
	if len(obj.Members) == 0 && len(bytes.TrimSpace(obj.AfterExtra)) == 0 {
		obj.AfterExtra = nil
	}
}

// find returns the value at a path of names below v, nil when there is none. The names
// of a duplicate are single's to refuse.
func find(v *hujson.Value, path ...string) *hujson.Value {
	for _, name := range path {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		i := slices.IndexFunc(obj.Members, func(m hujson.ObjectMember) bool { return memberName(m) == name })
		if i < 0 {
			return nil
		}
		v = &obj.Members[i].Value
	}
	return v
}

// memberName returns a member's name.
func memberName(m hujson.ObjectMember) string {
	lit, _ := m.Name.Value.(hujson.Literal)
	return lit.String()
}

// single refuses a name that an object has twice: nobody can tell which of the two the
// client takes.
func single(root *hujson.Value, path ...string) error {
	parent := find(root, path[:len(path)-1]...)
	if parent == nil {
		return nil
	}
	n := 0
	if obj, ok := parent.Value.(*hujson.Object); ok {
		for _, m := range obj.Members {
			if memberName(m) == path[len(path)-1] {
				n++
			}
		}
	}
	if n > 1 {
		return fmt.Errorf("%w: %q is there %d times", ErrByHand, strings.Join(path, "."), n)
	}
	return nil
}

// addMember adds a member at the end of an object; value writes its value, given the
// indent of its line.
func (f jsonFile) addMember(v *hujson.Value, name string, value func(indent string) string) error {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return fmt.Errorf("%w: the place of %q is not an object", ErrByHand, name)
	}
	nl, outer := newline(f.text), indentAt(f.text, v.StartOffset)
	indent := outer + f.step()
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}}
	if n := len(obj.Members); n > 0 {
		if at := obj.Members[0].Name.StartOffset; ownLine(f.text, at) {
			indent = indentAt(f.text, at)
		}
		if obj.Members[n-1].Value.AfterExtra != nil { // a trailing comma
			m.Value.AfterExtra = hujson.Extra{}
		}
	}
	comments := bytes.TrimRight(obj.AfterExtra, " \t\r\n")
	m.Name.BeforeExtra = slices.Concat(comments, []byte(nl+indent))
	if obj.AfterExtra = obj.AfterExtra[len(comments):]; !bytes.Contains(obj.AfterExtra, []byte("\n")) {
		obj.AfterExtra = hujson.Extra(nl + outer)
	}
	parsed, err := hujson.Parse([]byte(value(indent)))
	m.Value.BeforeExtra, m.Value.Value = hujson.Extra(" "), parsed.Value
	obj.Members = append(obj.Members, m)
	return err
}

// object writes an object over several lines.
func object(fields []field, indent, step, nl string) string {
	var b strings.Builder
	b.WriteString("{" + nl)
	for i, f := range fields {
		b.WriteString(indent + step + quote(f.name) + ": " + f.json)
		if i < len(fields)-1 {
			b.WriteByte(',')
		}
		b.WriteString(nl)
	}
	return b.String() + indent + "}"
}

// step returns the indentation step of the file, that of its first member.
func (f jsonFile) step() string {
	root, err := hujson.Parse(f.text)
	if err != nil {
		return defaultIndent
	}
	if obj, ok := root.Value.(*hujson.Object); ok && len(obj.Members) > 0 {
		if at := obj.Members[0].Name.StartOffset; ownLine(f.text, at) && indentAt(f.text, at) != "" {
			return indentAt(f.text, at)
		}
	}
	return defaultIndent
}
