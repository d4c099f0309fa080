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

// A jsonFile is a JSON file, with or without comments.
type jsonFile struct{ *file }

func (jsonFile) object() string { return "an object" }

// decode parses the file. An empty file is an empty object.
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
	for _, pointer := range []string{"/" + table, f.entry(), f.entry() + "/" + shape.command, f.entry() + "/" + shape.args} {
		if err := single(&v, pointer); err != nil {
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
	if servers, exists := m[table]; exists && servers == nil {
		return nil, fmt.Errorf("%w: %q is null", ErrByHand, table)
	}
	return m, nil
}

// root parses the text, which decode has accepted, for the offsets of its values.
func (f jsonFile) root() *hujson.Value {
	v, _ := hujson.Parse(f.text)
	return &v
}

// entry returns the JSON pointer (RFC 6901) of the server's entry. Neither the names of servers nor
// those of clients' tables have characters that it would have to escape.
func (f jsonFile) entry() string { return "/" + f.client.table + "/" + f.name }

// insert adds the server at the end of the servers.
func (f jsonFile) insert(s Server) error {
	if len(bytes.TrimSpace(f.text)) == 0 {
		f.text = []byte("{}" + newline(f.text))
	}
	table, fields, nl, step := f.client.table, f.client.fields(s), newline(f.text), f.step()
	if servers := f.root().Find("/" + table); servers != nil {
		return f.addMember(servers, s.Name, func(indent string) string { return object(fields, indent, step, nl) })
	}
	return f.addMember(f.root(), table, func(indent string) string {
		return object([]field{{s.Name, object(fields, indent+step, step, nl)}}, indent, step, nl)
	})
}

// update changes the server's entry.
func (f jsonFile) update(u diff) error {
	shape := f.client.shape
	if u.command != "" {
		f.text = splice(f.text, spanOf(f.root().Find(f.entry()+"/"+shape.command)), quote(u.command))
	}
	if slices.Equal(u.args, u.want) {
		return nil
	}
	entry := f.root().Find(f.entry())
	list := entry.Find("/" + cmp.Or(shape.args, shape.command))
	if list == nil {
		return f.addMember(entry, shape.args, func(string) string { return quoteList(u.want) })
	}
	var elements []span
	for _, e := range list.Value.(*hujson.Array).Elements {
		elements = append(elements, spanOf(&e))
	}
	f.text = splice(f.text, spanOf(list), relist(f.text, spanOf(list), elements, u))
	return nil
}

// spanOf returns the span of a value.
func spanOf(v *hujson.Value) span { return span{v.StartOffset, v.EndOffset} }

// cut removes the server, or with last the object of servers, but not the comments around it.
func (f jsonFile) cut(last bool) error {
	parent, name := f.root(), f.client.table
	if !last {
		parent, name = parent.Find("/"+name), f.name
	}
	members := parent.Value.(*hujson.Object).Members
	i := slices.IndexFunc(members, func(m hujson.ObjectMember) bool { return memberName(m) == name })
	m := members[i]
	at, end := span{m.Name.StartOffset, m.Value.EndOffset}, parent.EndOffset-1
	if i+1 < len(members) || m.Value.AfterExtra != nil {
		at.end += len(m.Value.AfterExtra) + 1 // with the comma after it
	} else if i > 0 {
		before := members[i-1].Value
		comma := before.EndOffset + len(before.AfterExtra)
		f.text = splice(f.text, span{comma, comma + 1}, "")
		at, end = span{at.start - 1, at.end - 1}, end-1
	}
	const blanks = " \t\r\n"
	head, tail := f.text[:at.start], f.text[at.end:]
	if i > 0 && i+1 == len(members) && !bytes.Contains(members[0].Name.BeforeExtra, []byte("\n")) { // on one line
		tail = bytes.TrimLeft(tail, blanks)
	}
	if rest := bytes.TrimLeft(tail, " \t\r"); rest[0] != '/' { // no comment follows on the line
		head = bytes.TrimRight(head, " \t")
		head = bytes.TrimSuffix(bytes.TrimSuffix(head, []byte("\n")), []byte("\r"))
	}
	if inside := f.text[parent.StartOffset+1 : at.start]; len(members) == 1 && len(bytes.Trim(inside, blanks)) == 0 && len(bytes.Trim(f.text[at.end:end], blanks)) == 0 {
		head, tail = f.text[:parent.StartOffset+1], f.text[end:]
	}
	f.text = slices.Concat(head, tail)
	return nil
}

// memberName returns a member's name.
func memberName(m hujson.ObjectMember) string {
	lit, _ := m.Name.Value.(hujson.Literal)
	return lit.String()
}

// single returns an error if an object contains the last name of a JSON pointer more than once,
// because clients differ in which member they use.
func single(root *hujson.Value, pointer string) error {
	i := strings.LastIndex(pointer, "/")
	parent := root.Find(pointer[:i])
	if parent == nil {
		return nil
	}
	n := 0
	if obj, ok := parent.Value.(*hujson.Object); ok {
		for _, m := range obj.Members {
			if memberName(m) == pointer[i+1:] {
				n++
			}
		}
	}
	if n > 1 {
		return fmt.Errorf("%w: %q is there %d times", ErrByHand, strings.ReplaceAll(pointer[1:], "/", "."), n)
	}
	return nil
}

// addMember adds a member at the end of an object. value returns the member's value, given the
// indentation of its line.
func (f jsonFile) addMember(v *hujson.Value, name string, value func(indent string) string) error {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return fmt.Errorf("%w: the place of %q is not an object", ErrByHand, name)
	}
	nl, outer := newline(f.text), indentAt(f.text, v.StartOffset)
	indent, comma := outer+f.step(), ""
	end := v.EndOffset - 1
	head := bytes.Clone(f.text[:end-len(obj.AfterExtra)])
	if n := len(obj.Members); n > 0 {
		if at := obj.Members[0].Name.StartOffset; ownLine(f.text, at) {
			indent = indentAt(f.text, at)
		}
		if obj.Members[n-1].Value.AfterExtra != nil {
			comma = "," // as after the last member
		} else {
			head = append(head, ',')
		}
	}
	comments := bytes.TrimRight(obj.AfterExtra, " \t\r\n")
	rest := string(obj.AfterExtra[len(comments):])
	if !strings.Contains(rest, "\n") {
		rest = nl + outer
	}
	member := nl + indent + quote(name) + ": " + value(indent) + comma
	f.text = slices.Concat(head, comments, []byte(member+rest), f.text[end:])
	return nil
}

// object returns an object over several lines.
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

// step returns the indentation step of the file, which is the indentation of its first member.
func (f jsonFile) step() string {
	if obj, ok := f.root().Value.(*hujson.Object); ok && len(obj.Members) > 0 {
		if at := obj.Members[0].Name.StartOffset; ownLine(f.text, at) && indentAt(f.text, at) != "" {
			return indentAt(f.text, at)
		}
	}
	return defaultIndent
}
