package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/internal/nearest"
	"github.com/glasstty/glasstty/internal/runes"
)

// decodeArgs fills the struct that dst points to from a call's arguments. It returns an
// error for an argument that is unknown, missing, null, of the wrong type or out of range.
func decodeArgs(raw json.RawMessage, dst any) error {
	given := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return fmt.Errorf("arguments must be one JSON object, not %s", describe(raw))
		}
	}
	v := reflect.ValueOf(dst).Elem()
	return decodeObject(given, params(v.Type()), v, "")
}

// decodeObject checks the names in given against ps and decodes each into its
// field of v. The prefix stands before an argument's name in errors.
func decodeObject(given map[string]json.RawMessage, ps []param, v reflect.Value, prefix string) error {
	if err := checkNames(given, ps, prefix); err != nil {
		return err
	}
	for _, p := range ps {
		raw, ok := given[p.name]
		p.name = prefix + p.name
		if !ok {
			if p.need {
				return fmt.Errorf("argument %q is missing: it must be %s (%s)", p.name, p.want(), p.doc)
			}
			continue
		}
		if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
			next := "leave it out when it is not meant"
			if p.need {
				next = "it is required"
			}
			return fmt.Errorf("argument %q must be %s, not null; %s", p.name, p.want(), next)
		}
		if err := p.decode(raw, p.target(v)); err != nil {
			return err
		}
	}
	return nil
}

// checkNames returns an error for the first name in given that is not in ps. When another
// server has an argument of this name, the error gives ours.
func checkNames(given map[string]json.RawMessage, ps []param, prefix string) error {
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = p.name
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(names, name) {
			continue
		}
		hint := foreignArgument(name, names)
		if near := nearest.Word(name, names); hint == "" && near != "" {
			hint = fmt.Sprintf(", did you mean %q?", near)
		}
		allowed := "allowed are " + strings.Join(names, ", ")
		if len(names) == 0 {
			allowed = "none is allowed"
		}
		return fmt.Errorf("unknown argument %q%s; %s", clip(prefix+name), hint, allowed)
	}
	return nil
}

// target returns the field of v that holds p, allocated when it is a pointer.
func (p param) target(v reflect.Value) reflect.Value {
	f := v.FieldByIndex(p.index)
	if f.Kind() == reflect.Pointer {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	return f
}

// decode sets f from raw, which is not null.
func (p param) decode(raw json.RawMessage, f reflect.Value) error {
	if f.Addr().Type().Implements(customType) {
		if err := f.Addr().Interface().(custom).decode(raw); err != nil {
			return fmt.Errorf("argument %q %w", p.name, err)
		}
		return nil
	}
	if t, ok := f.Addr().Interface().(textual); ok && describe(raw) == "a string" {
		return p.decodeText(raw, t)
	}
	switch f.Kind() {
	case reflect.String:
		return p.decodeString(raw, f)
	case reflect.Bool:
		return p.decodePlain(raw, f)
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64:
		return p.decodeNumber(raw, f)
	case reflect.Slice:
		return p.decodeList(raw, f)
	case reflect.Map:
		return p.decodeMap(raw, f)
	case reflect.Struct:
		given := map[string]json.RawMessage{}
		if json.Unmarshal(raw, &given) != nil {
			return p.wrong(raw)
		}
		return decodeObject(given, params(f.Type()), f, p.name+".")
	}
	panic("mcpserver: argument " + p.name + " has a type that cannot be decoded: " + f.Type().String())
}

func (p param) decodeText(raw json.RawMessage, t textual) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return p.wrong(raw)
	}
	if err := t.parse(text); err != nil {
		return fmt.Errorf("argument %q %w", p.name, err)
	}
	return nil
}

func (p param) decodePlain(raw json.RawMessage, f reflect.Value) error {
	if json.Unmarshal(raw, f.Addr().Interface()) != nil {
		return p.wrong(raw)
	}
	return nil
}

func (p param) decodeString(raw json.RawMessage, f reflect.Value) error {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return p.wrong(raw)
	}
	if what := noCharacter(raw, s); what != "" {
		return fmt.Errorf("argument %q holds %s", p.name, what)
	}
	if p.enum != nil && !slices.Contains(p.enum, s) {
		return fmt.Errorf("argument %q must be %s, not %q", p.name, p.want(), clip(s))
	}
	if p.min != nil && float64(len(s)) < *p.min {
		return fmt.Errorf("argument %q must not be empty", p.name)
	}
	if p.max != nil && float64(len(s)) > *p.max {
		return fmt.Errorf("argument %q has %d bytes, more than %s", p.name, len(s), number(*p.max))
	}
	f.SetString(s)
	return nil
}

// decodeNumber accepts any JSON number of the right value: 5.0 is an integer
// (JSON Schema 2020-12, 6.1.1).
func (p param) decodeNumber(raw json.RawMessage, f reflect.Value) error {
	if describe(raw) != "a number" {
		return p.wrong(raw)
	}
	n, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil {
		n = math.Inf(1) // too large for any argument
	}
	integer := f.Kind() != reflect.Float64
	out := math.IsInf(n, 0) || f.Kind() == reflect.Uint64 && n < 0 || integer && (n != math.Trunc(n) || math.Abs(n) > maxInteger) ||
		p.min != nil && n < *p.min || p.max != nil && n > *p.max
	if out {
		return fmt.Errorf("argument %q must be %s, not %s", p.name, p.want(), clip(string(bytes.TrimSpace(raw))))
	}
	switch f.Kind() {
	case reflect.Float64:
		f.SetFloat(n)
	case reflect.Uint64:
		f.SetUint(uint64(n))
	default:
		f.SetInt(int64(n))
	}
	return nil
}

// maxInteger is the largest integer that JSON readers agree on (RFC 8259, 6).
const maxInteger = 1<<53 - 1

func (p param) decodeList(raw json.RawMessage, f reflect.Value) error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return p.wrong(raw)
	}
	if p.min != nil && float64(len(items)) < *p.min {
		return fmt.Errorf("argument %q must not be empty", p.name)
	}
	if p.max != nil && float64(len(items)) > *p.max {
		return fmt.Errorf("argument %q has %d items, more than %s", p.name, len(items), number(*p.max))
	}
	list := reflect.MakeSlice(f.Type(), len(items), len(items))
	for i, item := range items {
		q := param{name: fmt.Sprintf("%s[%d]", p.name, i), typ: f.Type().Elem(), enum: p.enum}
		if string(bytes.TrimSpace(item)) == "null" {
			return q.wrong(item)
		}
		if err := q.decode(asText(item, q.typ), list.Index(i)); err != nil {
			return err
		}
	}
	f.Set(list)
	return nil
}

// asText returns an item of a list or an object as a JSON string when a string is wanted
// and the item is a number, as in ["-n", 5].
func asText(item json.RawMessage, typ reflect.Type) json.RawMessage {
	if typ.Kind() == reflect.String && describe(item) == "a number" {
		return slices.Concat([]byte{'"'}, bytes.TrimSpace(item), []byte{'"'})
	}
	return item
}

func (p param) decodeMap(raw json.RawMessage, f reflect.Value) error {
	var items map[string]json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return p.wrong(raw)
	}
	m := reflect.MakeMapWithSize(f.Type(), len(items))
	for _, k := range slices.Sorted(maps.Keys(items)) {
		q := param{name: p.name + "." + clip(k), typ: f.Type().Elem()}
		if string(bytes.TrimSpace(items[k])) == "null" {
			return q.wrong(items[k])
		}
		v := reflect.New(f.Type().Elem()).Elem()
		if err := q.decode(asText(items[k], q.typ), v); err != nil {
			return err
		}
		m.SetMapIndex(reflect.ValueOf(k), v)
	}
	f.Set(m)
	return nil
}

// wrong returns the error for a value of the wrong type. It shows the type
// alone: the value may be a secret in the wrong place.
func (p param) wrong(raw json.RawMessage) error {
	return fmt.Errorf("argument %q must be %s, not %s", p.name, p.want(), describe(raw))
}

// describe names the JSON type of raw.
func describe(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// clipLen bounds how much of a wrong value an error repeats, in bytes.
const clipLen = 60

// clip shortens s for an error.
func clip(s string) string { return runes.Clip(s, clipLen) }

// noCharacter describes what in raw is not a character, "" for nothing. encoding/json
// silently decodes invalid input to U+FFFD, which would then be typed.
func noCharacter(raw json.RawMessage, s string) string {
	got := strings.Count(s, "\uFFFD")
	switch meant := bytes.Count(raw, []byte("\uFFFD")) + bytes.Count(bytes.ToLower(raw), []byte(`\ufffd`)); {
	case !utf8.Valid(raw):
		return "bytes that are not UTF-8; send text as UTF-8"
	case got > meant:
		return `half of a surrogate pair (\ud800 to \udfff), which is not a character`
	}
	return ""
}
