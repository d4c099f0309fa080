package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// bom is the byte order mark that some editors put before UTF-8.
const bom = "\ufeff"

// defaultIndent is the step of a file that shows none.
const defaultIndent = "  "

func (c Client) mergeJSON(data []byte, s Server) ([]byte, error) {
	text, marked := bytes.CutPrefix(data, []byte(bom))
	blank := len(bytes.TrimSpace(text)) == 0
	if blank {
		text = []byte("{}" + newline(data))
	}
	before, err := c.decode(text)
	if err != nil {
		return nil, err
	}
	f := jsonFile{client: c, text: text}
	after, changed, err := f.merge(before, s)
	if err != nil {
		return nil, err
	}
	if !changed {
		return data, nil
	}
	if got, err := c.decode(f.text); err != nil || !reflect.DeepEqual(got, after) {
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

// merge edits the text, and before likewise.
func (f *jsonFile) merge(before map[string]any, s Server) (after map[string]any, changed bool, err error) {
	table := f.client.table
	for _, path := range [][]string{{table}, {table, s.Name}, {table, s.Name, "command"}} {
		if err := f.single(path); err != nil {
			return nil, false, err
		}
	}
	fields := []field{{"command", quote(s.Command)}, {"args", quoteList(s.Args)}}
	entry := map[string]any{"command": s.Command, "args": toAny(s.Args)}
	if f.client.typed {
		fields = append([]field{{"type", quote("stdio")}}, fields...)
		entry["type"] = "stdio"
	}
	switch servers := before[table].(type) {
	case nil:
		if _, null := before[table]; null {
			return nil, false, fmt.Errorf("%w: %q is null", ErrByHand, table)
		}
		before[table] = map[string]any{s.Name: entry}
		return before, true, f.insert(nil, table, []field{{s.Name, ""}}, fields)
	case map[string]any:
		old, there := servers[s.Name]
		if !there {
			servers[s.Name] = entry
			return before, true, f.insert([]string{table}, s.Name, fields, nil)
		}
		have, ok := old.(map[string]any)
		if !ok {
			return nil, false, fmt.Errorf("%w: %q is no object; remove it, or choose another name", ErrTaken, s.Name)
		}
		if err := ours(have, s); err != nil {
			return nil, false, err
		}
		if have["command"] == s.Command {
			return before, false, nil
		}
		have["command"] = s.Command
		return before, true, f.replace([]string{table, s.Name, "command"}, quote(s.Command))
	}
	return nil, false, fmt.Errorf("%w: %q is no object", ErrByHand, table)
}

// toAny returns a list as encoding/json reads it.
func toAny(list []string) []any {
	out := []any{}
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// A field is a member of an object, its value as JSON.
type field struct{ name, json string }

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

// replace puts other text in the place of a value.
func (f *jsonFile) replace(path []string, value string) error {
	v, err := f.find(path)
	if err != nil || v == nil {
		return errors.Join(fmt.Errorf("%w: %q", ErrByHand, strings.Join(path, ".")), err)
	}
	f.splice(v.StartOffset, v.EndOffset, value)
	return nil
}

// splice replaces the bytes from start to end.
func (f *jsonFile) splice(start, end int, with string) {
	f.text = append(append(bytes.Clone(f.text[:start]), with...), f.text[end:]...)
}

// insert adds a member, an object of fields, at the end of the object at path.
// With inner, the fields' only one is an object of these.
func (f *jsonFile) insert(path []string, name string, fields, inner []field) error {
	v, err := f.find(path)
	if err != nil {
		return err
	}
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return fmt.Errorf("%w: %q is no object", ErrByHand, strings.Join(path, "."))
	}
	nl, outer, step := newline(f.text), f.indentAt(v.StartOffset), f.step()
	indent := outer + step
	if n := len(obj.Members); n > 0 && f.ownLine(obj.Members[0].Name.StartOffset) {
		indent = f.indentAt(obj.Members[0].Name.StartOffset)
	}
	if inner != nil {
		fields[0].json = object(inner, indent+step, step, nl)
	}
	member := nl + indent + quote(name) + ": " + object(fields, indent, step, nl)
	// The last byte is the brace; comments before it stay before the member.
	brace := v.EndOffset - 1
	end := len(bytes.TrimRight(f.text[:brace], " \t\r\n"))
	tail := ""
	if !bytes.Contains(f.text[end:brace], []byte("\n")) {
		tail = nl + outer
		f.splice(end, brace, "")
	}
	comma := -1
	if n := len(obj.Members); n > 0 {
		if last := obj.Members[n-1].Value; last.AfterExtra == nil {
			comma = last.EndOffset
		} else { // which is how hujson tells of a comma after it
			member += ","
		}
	}
	f.splice(end, end, member+tail)
	if comma >= 0 {
		f.splice(comma, comma, ",")
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

// lineStart returns where the line of an offset begins.
func (f *jsonFile) lineStart(offset int) int {
	return bytes.LastIndexByte(f.text[:offset], '\n') + 1
}

// indentAt returns the blanks at the beginning of an offset's line.
func (f *jsonFile) indentAt(offset int) string {
	line := f.text[f.lineStart(offset):offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// ownLine reports whether only blanks stand before an offset in its line.
func (f *jsonFile) ownLine(offset int) bool {
	start := f.lineStart(offset)
	return start > 0 && len(bytes.TrimLeft(f.text[start:offset], " \t")) == 0
}

// step returns by how much the file indents: as its first member does.
func (f *jsonFile) step() string {
	root, err := hujson.Parse(f.text)
	if err != nil {
		return defaultIndent
	}
	if obj, ok := root.Value.(*hujson.Object); ok && len(obj.Members) > 0 {
		if at := obj.Members[0].Name.StartOffset; f.ownLine(at) && f.indentAt(at) != "" {
			return f.indentAt(at)
		}
	}
	return defaultIndent
}
