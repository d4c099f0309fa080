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
// field of v. Errors put prefix before the name of an argument.
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
		if describe(raw) == "null" {
			next := "leave it out instead"
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

// checkNames returns an error for the first name in given that is not in ps. If the name comes
// from another terminal server's tools, the error names ours.
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
		allowed := "the arguments are " + strings.Join(names, ", ")
		if len(names) == 0 {
			allowed = "there are no arguments"
		}
		return fmt.Errorf("unknown argument %q%s; %s", clip(prefix+name), hint, allowed)
	}
	return nil
}

// target returns the field of v for p. If the field is a pointer, target allocates its value
// and returns that.
func (p param) target(v reflect.Value) reflect.Value {
	f := v.FieldByIndex(p.index)
	if f.Kind() == reflect.Pointer {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	return f
}

// jsonTypes maps the Go kind of an argument to its JSON type, as describe names it.
var jsonTypes = map[reflect.Kind]string{
	reflect.String: "a string", reflect.Bool: "a boolean", reflect.Slice: "a list", reflect.Map: "an object", reflect.Struct: "an object",
	reflect.Int: "a number", reflect.Int64: "a number", reflect.Uint64: "a number", reflect.Float64: "a number",
}

// decode sets f from raw, which must not be null.
func (p param) decode(raw json.RawMessage, f reflect.Value) error {
	if c, ok := f.Addr().Interface().(custom); ok {
		return c.decode(p, raw)
	}
	if describe(raw) != jsonTypes[f.Kind()] {
		return p.wrong(raw)
	}
	switch f.Kind() {
	case reflect.String:
		return p.decodeString(raw, f)
	case reflect.Bool:
		f.SetBool(read[bool](raw))
		return nil
	case reflect.Slice:
		return p.decodeList(raw, f)
	case reflect.Map:
		return p.decodeMap(raw, f)
	case reflect.Struct:
		return decodeObject(read[map[string]json.RawMessage](raw), params(f.Type()), f, p.name+".")
	}
	return p.decodeNumber(raw, f)
}

// read decodes raw, whose JSON type fits T.
func read[T any](raw json.RawMessage) (v T) {
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(fmt.Sprintf("mcpserver: %T from %s: %v", v, describe(raw), err))
	}
	return v
}

func (p param) decodeString(raw json.RawMessage, f reflect.Value) error {
	s := read[string](raw)
	if what := invalidText(raw, s); what != "" {
		return fmt.Errorf("argument %q contains %s", p.name, what)
	}
	if p.enum != nil && !slices.Contains(p.enum, s) {
		return fmt.Errorf("argument %q must be %s, not %q", p.name, p.want(), clip(s))
	}
	f.SetString(s)
	return p.checkLength(len(s), "bytes")
}

// checkLength returns an error if the length of a string or a list is not within p's limits.
func (p param) checkLength(n int, unit string) error {
	switch {
	case p.min != nil && float64(n) < *p.min:
		return fmt.Errorf("argument %q must not be empty", p.name)
	case p.max != nil && float64(n) > *p.max:
		return fmt.Errorf("argument %q has %d %s, more than %s", p.name, n, unit, number(*p.max))
	}
	return nil
}

// decodeNumber accepts any JSON number of the right value: 5.0 is an integer
// (JSON Schema 2020-12, 6.1.1).
func (p param) decodeNumber(raw json.RawMessage, f reflect.Value) error {
	n, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil {
		n = math.Inf(1) // too large for any argument
	}
	integer := f.Kind() != reflect.Float64
	outOfRange := math.IsInf(n, 0) || f.Kind() == reflect.Uint64 && n < 0 || integer && (n != math.Trunc(n) || math.Abs(n) > maxInteger) ||
		p.min != nil && n < *p.min || p.max != nil && n > *p.max
	if outOfRange {
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
	items := read[[]json.RawMessage](raw)
	if err := p.checkLength(len(items), "items"); err != nil {
		return err
	}
	list := reflect.MakeSlice(f.Type(), len(items), len(items))
	for i, item := range items {
		q := param{name: fmt.Sprintf("%s[%d]", p.name, i), typ: f.Type().Elem(), enum: p.enum}
		if err := q.decodeItem(item, list.Index(i)); err != nil {
			return err
		}
	}
	f.Set(list)
	return nil
}

// decodeItem decodes an item of a list or an object.
func (p param) decodeItem(raw json.RawMessage, f reflect.Value) error {
	if describe(raw) == "null" {
		return p.wrong(raw)
	}
	return p.decode(asText(raw, p.typ), f)
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
	items := read[map[string]json.RawMessage](raw)
	m := reflect.MakeMapWithSize(f.Type(), len(items))
	for _, k := range slices.Sorted(maps.Keys(items)) {
		q := param{name: p.name + "." + clip(k), typ: f.Type().Elem()}
		v := reflect.New(q.typ).Elem()
		if err := q.decodeItem(items[k], v); err != nil {
			return err
		}
		m.SetMapIndex(reflect.ValueOf(k), v)
	}
	f.Set(m)
	return nil
}

// wrong returns the error for a value of the wrong type. It shows only the type, because the
// value may be a secret given in the wrong place.
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

// clipLen is the maximum number of bytes of a wrong value that an error quotes.
const clipLen = 60

// clip shortens s for an error.
func clip(s string) string { return runes.Clip(s, clipLen) }

// invalidText describes the part of raw, the JSON that s was decoded from, that is not valid
// text, or returns "". It is needed because encoding/json silently decodes invalid input to
// U+FFFD, which would then be typed.
func invalidText(raw json.RawMessage, s string) string {
	got := strings.Count(s, "\uFFFD")
	switch meant := bytes.Count(raw, []byte("\uFFFD")) + bytes.Count(bytes.ToLower(raw), []byte(`\ufffd`)); {
	case !utf8.Valid(raw):
		return "bytes that are not UTF-8; send text as UTF-8"
	case got > meant:
		return `half of a surrogate pair (\ud800 to \udfff), which is not a character`
	}
	return ""
}
