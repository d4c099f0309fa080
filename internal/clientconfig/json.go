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
	v.Standardize()
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(v.Pack()))
	d.UseNumber()
	if err := d.Decode(&m); err != nil || m == nil {
		return nil, fmt.Errorf("%w: the file holds no JSON object", ErrSyntax)
	}
	table, shape := f.client.table, f.client.shape
	for _, path := range [][]string{{table}, {table, f.name}, {table, f.name, shape.command}, {table, f.name, shape.args}} {
		if err := f.single(path); err != nil {
			return nil, err
		}
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
	servers, err := f.find([]string{table})
	if err != nil {
		return err
	}
	if servers != nil {
		return f.insertMember([]string{table}, s.Name, func(indent, step, nl string) string { return object(fields, indent, step, nl) })
	}
	return f.insertMember(nil, table, func(indent, step, nl string) string {
		return object([]field{{s.Name, object(fields, indent+step, step, nl)}}, indent, step, nl)
	})
}

// update changes the server's entry.
func (f jsonFile) update(u diff) error {
	entry := []string{f.client.table, f.name}
	if u.command != "" {
		v, err := f.find(append(entry, f.client.shape.command))
		if err != nil {
			return err
		}
		f.text = splice(f.text, span{v.StartOffset, v.EndOffset}, quote(u.command))
	}
	if slices.Equal(u.args, u.want) {
		return nil
	}
	v, err := f.find(append(entry, cmp.Or(f.client.shape.args, f.client.shape.command)))
	if err != nil {
		return err
	}
	if v == nil {
		return f.insertMember(entry, f.client.shape.args, func(_, _, _ string) string { return quoteList(u.want) })
	}
	list, _ := v.Value.(*hujson.Array)
	var elements []span
	for i := range list.Elements {
		elements = append(elements, span{list.Elements[i].StartOffset, list.Elements[i].EndOffset})
	}
	f.text, err = relist(f.text, span{v.StartOffset, v.EndOffset}, elements, u)
	return err
}

// cut takes the server out.
func (f jsonFile) cut(last bool) error {
	if last {
		return f.cutMember(nil, f.client.table)
	}
	return f.cutMember([]string{f.client.table}, f.name)
}

// cutMember takes a member out of the object at a path.
func (f jsonFile) cutMember(path []string, name string) error {
	v, err := f.find(path)
	if err != nil {
		return err
	}
	obj := v.Value.(*hujson.Object)
	i := slices.IndexFunc(obj.Members, func(m hujson.ObjectMember) bool { return memberName(m) == name })
	m := obj.Members[i]
	at := span{m.Name.StartOffset, m.Value.EndOffset}
	comma := func(v hujson.Value) int { return v.EndOffset + len(v.AfterExtra) } // where it stands, if it does
	last := i == len(obj.Members)-1
	if !last || m.Value.AfterExtra != nil {
		at.end = comma(m.Value) + 1
	}
	brace := v.EndOffset - 1
	at = wholeLines(f.text, at)
	if last && i > 0 && m.Value.AfterExtra == nil {
		// The comma before is one too many. Comments stand behind it, and stay.
		c := comma(obj.Members[i-1].Value)
		between, rest := bytes.TrimRight(f.text[c+1:at.start], " \t"), f.text[at.end:]
		if !ownLine(f.text, obj.Members[0].Name.StartOffset) { // an object on one line has no line for the brace
			between, rest = bytes.TrimRight(between, " \t\r\n"), bytes.TrimLeft(rest, " \t\r\n")
		}
		f.text = slices.Concat(f.text[:c], between, rest)
		return nil
	}
	f.text = splice(f.text, at, "")
	if brace -= at.end - at.start; len(obj.Members) == 1 && len(bytes.TrimSpace(f.text[v.StartOffset+1:brace])) == 0 {
		f.text = splice(f.text, span{v.StartOffset + 1, brace}, "")
	}
	return nil
}

// find returns the value at a path of names, nil when there is none. The names
// of a duplicate are single's to refuse.
func (f jsonFile) find(path []string) (*hujson.Value, error) {
	root, err := hujson.Parse(f.text)
	if err != nil {
		return nil, err
	}
	v := &root
	for _, name := range path {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil, nil
		}
		v = nil
		for i := range obj.Members {
			if memberName(obj.Members[i]) == name {
				v = &obj.Members[i].Value
			}
		}
		if v == nil {
			return nil, nil
		}
	}
	return v, nil
}

// memberName returns a member's name.
func memberName(m hujson.ObjectMember) string {
	lit, _ := m.Name.Value.(hujson.Literal)
	return lit.String()
}

// single refuses a name that an object has twice: which of them the client
// takes is its secret.
func (f jsonFile) single(path []string) error {
	parent, err := f.find(path[:len(path)-1])
	if err != nil || parent == nil {
		return err
	}
	obj, ok := parent.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	n := 0
	for _, m := range obj.Members {
		if memberName(m) == path[len(path)-1] {
			n++
		}
	}
	if n > 1 {
		return fmt.Errorf("%w: %q is there %d times", ErrByHand, strings.Join(path, "."), n)
	}
	return nil
}

// insertMember adds a member at the end of the object at path; value writes what it is, given
// the indent of its line, by how much more to indent, and how lines end.
func (f jsonFile) insertMember(path []string, name string, value func(indent, step, nl string) string) error {
	v, err := f.find(path)
	if err != nil {
		return err
	}
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return fmt.Errorf("%w: %q is not an object", ErrByHand, strings.Join(path, "."))
	}
	nl, outer, step := newline(f.text), indentAt(f.text, v.StartOffset), f.step()
	indent := outer + step
	if n := len(obj.Members); n > 0 && ownLine(f.text, obj.Members[0].Name.StartOffset) {
		indent = indentAt(f.text, obj.Members[0].Name.StartOffset)
	}
	member := nl + indent + quote(name) + ": " + value(indent, step, nl)
	// The last byte is the brace; comments before it stay before the member.
	brace := v.EndOffset - 1
	end := len(bytes.TrimRight(f.text[:brace], " \t\r\n"))
	tail := ""
	if !bytes.Contains(f.text[end:brace], []byte("\n")) {
		tail = nl + outer
		f.text = splice(f.text, span{end, brace}, "")
	}
	comma := -1
	if n := len(obj.Members); n > 0 {
		if last := obj.Members[n-1].Value; last.AfterExtra == nil {
			comma = last.EndOffset
		} else { // which is how hujson tells of a comma after it
			member += ","
		}
	}
	f.text = splice(f.text, span{end, end}, member+tail)
	if comma >= 0 {
		f.text = splice(f.text, span{comma, comma}, ",")
	}
	return nil
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

// step returns by how much the file indents: as its first member does.
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
