package clientconfig

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// bom is the byte order mark that some editors put before UTF-8.
const bom = "\ufeff"

// defaultIndent is the step of a file that shows none.
const defaultIndent = "  "

// editJSON has edit change a file and its value likewise, and returns the file.
func (c Client) editJSON(data []byte, edit func(f *jsonFile, doc map[string]any) error) ([]byte, error) {
	text, marked := bytes.CutPrefix(data, []byte(bom))
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}" + newline(data))
	}
	doc, err := c.decode(text)
	if err != nil {
		return nil, err
	}
	f := jsonFile{client: c, text: text}
	if err := edit(&f, doc); err != nil {
		return nil, err
	}
	if bytes.Equal(f.text, text) {
		return data, nil
	}
	if got, err := c.decode(f.text); err != nil || !reflect.DeepEqual(got, doc) {
		return nil, errors.Join(fmt.Errorf("%w: the edited text would not mean what it should; edit it by hand", ErrByHand), err)
	}
	if marked {
		return append([]byte(bom), f.text...), nil
	}
	return f.text, nil
}

// decode reads a whole file.
func (c Client) decode(text []byte) (map[string]any, error) {
	v, err := hujson.Parse(bytes.Clone(text)) // Standardize writes into it
	if err != nil {
		return nil, fmt.Errorf("%w JSON: %w", ErrSyntax, err)
	}
	if c.syntax == strictJSON && !v.IsStandard() {
		return nil, fmt.Errorf("%w JSON: it has comments or trailing commas, which %s does not read", ErrSyntax, c.Title)
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

// A jsonFile is a text under edit.
type jsonFile struct {
	client Client
	text   []byte
}

// servers returns the object that holds the servers, nil when there is none.
func (f *jsonFile) servers(doc map[string]any, name string) (map[string]any, error) {
	table := f.client.table
	for _, path := range [][]string{{table}, {table, name}, {table, name, f.client.shape.command}, {table, name, f.client.shape.args}} {
		if err := f.single(path); err != nil {
			return nil, err
		}
	}
	switch servers := doc[table].(type) {
	case nil:
		if _, null := doc[table]; null {
			return nil, fmt.Errorf("%w: %q is null", ErrByHand, table)
		}
		return nil, nil
	case map[string]any:
		return servers, nil
	}
	return nil, fmt.Errorf("%w: %q is not an object", ErrByHand, table)
}

// merge puts the server into the text, and into doc likewise.
func (f *jsonFile) merge(doc map[string]any, s Server) error {
	servers, err := f.servers(doc, s.Name)
	if err != nil {
		return err
	}
	table, fields := f.client.table, f.client.fields(s)
	if servers == nil {
		doc[table] = map[string]any{s.Name: f.client.entry(s)}
		return f.insert(nil, table, func(indent, step, nl string) string {
			return object([]field{{s.Name, object(fields, indent+step, step, nl)}}, indent, step, nl)
		})
	}
	old, there := servers[s.Name]
	if !there {
		servers[s.Name] = f.client.entry(s)
		return f.insert([]string{table}, s.Name, func(indent, step, nl string) string { return object(fields, indent, step, nl) })
	}
	have, ok := old.(map[string]any)
	if !ok {
		return fmt.Errorf("%w: %q is not an object; remove it, or choose another name", ErrTaken, s.Name)
	}
	u, err := f.client.update(have, s)
	if err != nil {
		return err
	}
	return f.update([]string{table, s.Name}, u)
}

// update changes the entry at a path.
func (f *jsonFile) update(entry []string, u diff) error {
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
		return f.insert(entry, f.client.shape.args, func(_, _, _ string) string { return quoteList(u.want) })
	}
	list, _ := v.Value.(*hujson.Array)
	var elements []span
	for i := range list.Elements {
		elements = append(elements, span{list.Elements[i].StartOffset, list.Elements[i].EndOffset})
	}
	f.text, err = relist(f.text, span{v.StartOffset, v.EndOffset}, elements, u)
	return err
}

// remove takes a server out of the text, and out of doc likewise, and the object of the
// servers when it was the only one.
func (f *jsonFile) remove(doc map[string]any, name string) error {
	servers, err := f.servers(doc, name)
	if err != nil {
		return err
	}
	old, there := servers[name]
	if !there {
		return nil
	}
	if err := f.client.ours(old, name); err != nil {
		return err
	}
	if delete(servers, name); len(servers) > 0 {
		return f.cut([]string{f.client.table}, name)
	}
	delete(doc, f.client.table)
	return f.cut(nil, f.client.table)
}

// cut takes a member out of the object at a path.
func (f *jsonFile) cut(path []string, name string) error {
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
func (f *jsonFile) find(path []string) (*hujson.Value, error) {
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
func (f *jsonFile) single(path []string) error {
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

// insert adds a member at the end of the object at path; value writes what it is, given
// the indent of its line, by how much more to indent, and how lines end.
func (f *jsonFile) insert(path []string, name string, value func(indent, step, nl string) string) error {
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
func (f *jsonFile) step() string {
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
