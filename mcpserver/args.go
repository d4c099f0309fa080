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

// A customArgument is a type of argument with its own schema and decoder. An error of decode
// continues a sentence that begins with the argument's name. want describes the accepted values. If
// the type is a struct, decodeObject decodes a JSON object, and decode the other values.
type customArgument interface {
	schema() *Schema
	want() string
	decode(raw json.RawMessage) error
}

// decodeArgs fills the struct that dst points to from a call's arguments. It returns an
// error for an argument that is unknown, missing, null, given twice, of the wrong type or out of
// range.
func decodeArgs(raw json.RawMessage, dst any) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if !json.Valid(raw) || describe(raw) != "an object" {
		return fmt.Errorf("arguments must be one JSON object, not %s", describe(raw))
	}
	return decodeObject("", raw, reflect.ValueOf(dst).Elem())
}

// decodeObject fills a struct from a JSON object. Errors put prefix before the name of an
// argument.
func decodeObject(prefix string, raw json.RawMessage, v reflect.Value) error {
	given, err := splitObject(prefix, raw)
	if err != nil {
		return err
	}
	if err := checkNames(prefix, namesOf(v.Type()), given); err != nil {
		return err
	}
	for _, f := range fieldsOf(v.Type()) {
		name, l, need := prefix+f.name, limitsOf(f.Tag), f.Tag.Get("need") == "true"
		raw, ok := given[f.name]
		switch {
		case !ok && need:
			return fmt.Errorf("argument %q is missing: it must be %s (%s)", name, want(f.Type, l), f.Tag.Get("doc"))
		case !ok:
			continue
		case describe(raw) == "null" && !need:
			return fmt.Errorf("argument %q must be %s, not null; leave it out instead", name, want(f.Type, l))
		}
		if err := decodeValue(name, l, raw, v.FieldByIndex(f.Index)); err != nil {
			return err
		}
	}
	return nil
}

// splitObject returns the values in a JSON object by name. A name that occurs twice is an error.
func splitObject(prefix string, raw json.RawMessage) (map[string]json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	d := json.NewDecoder(bytes.NewReader(raw))
	_, err := d.Token() // the opening brace
	for err == nil && d.More() {
		var key json.Token
		var value json.RawMessage
		if key, err = d.Token(); err == nil {
			err = d.Decode(&value)
		}
		name, _ := key.(string)
		if _, twice := values[name]; twice {
			return nil, fmt.Errorf("argument %q is given twice", clip(prefix+name))
		}
		values[name] = value
	}
	return values, err
}

// checkNames returns an error for the first name in given that is not in names. For a name that the
// tools of another terminal server use, the error suggests ours.
func checkNames(prefix string, names []string, given map[string]json.RawMessage) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(names, name) {
			continue
		}
		unknown := fmt.Sprintf("unknown argument %q", clip(prefix+name))
		list := strings.Join(names, ", ")
		foreign := foreignArgument(name, names)
		switch near := nearest.Suggest(name, names, ""); {
		case len(names) == 0 && prefix != "":
			return fmt.Errorf("%s; give {} for %q, which has no arguments of its own", unknown, strings.TrimSuffix(prefix, "."))
		case len(names) == 0:
			return fmt.Errorf("%s; the tool has no arguments", unknown)
		case foreign == "" && near != "":
			return fmt.Errorf("%s%s The arguments are %s", unknown, near, list)
		}
		return fmt.Errorf("%s%s; the arguments are %s", unknown, foreign, list)
	}
	return nil
}

// jsonTypes maps kinds of Go types to the JSON types that describe returns.
var jsonTypes = map[reflect.Kind]string{
	reflect.String: "a string", reflect.Bool: "a boolean", reflect.Slice: "a list", reflect.Map: "an object", reflect.Struct: "an object",
	reflect.Int: "a number", reflect.Int64: "a number", reflect.Uint64: "a number", reflect.Float64: "a number",
}

// decodeValue sets v to the value of an argument. An error about a wrong type does not contain the
// value, which may be a secret in the wrong argument.
func decodeValue(name string, l limits, raw json.RawMessage, v reflect.Value) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	kind := describe(raw)
	if own, ok := v.Addr().Interface().(customArgument); ok && (kind != "an object" || v.Kind() != reflect.Struct) {
		if err := own.decode(raw); err != nil {
			return fmt.Errorf("argument %q %w", name, err)
		}
		return nil
	}
	if kind != jsonTypes[v.Kind()] {
		return fmt.Errorf("argument %q must be %s, not %s", name, want(v.Type(), l), kind)
	}
	switch v.Kind() {
	case reflect.String:
		return decodeString(name, l, raw, v)
	case reflect.Bool:
		v.SetBool(mustDecode[bool](raw))
		return nil
	case reflect.Slice:
		return decodeList(name, l, raw, v)
	case reflect.Map:
		return decodeMap(name, raw, v)
	case reflect.Struct:
		return decodeObject(name+".", raw, v)
	}
	return decodeNumber(name, l, raw, v)
}

// mustDecode decodes raw, whose JSON type fits T.
func mustDecode[T any](raw json.RawMessage) (v T) {
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(fmt.Sprintf("mcpserver: %T from %s: %v", v, describe(raw), err))
	}
	return v
}

func decodeString(name string, l limits, raw json.RawMessage, v reflect.Value) error {
	text := mustDecode[string](raw)
	if what := invalidText(raw, text); what != "" {
		return fmt.Errorf("argument %q contains %s", name, what)
	}
	if l.enum != "" && !slices.Contains(strings.Split(l.enum, ","), text) {
		return fmt.Errorf("argument %q must be %s, not %q", name, want(v.Type(), l), clip(text))
	}
	v.SetString(text)
	return l.checkLength(name, len(text), "bytes")
}

// decodeNumber decodes a JSON number. 5.0 is an integer (JSON Schema 2020-12, 6.1.1).
func decodeNumber(name string, l limits, raw json.RawMessage, v reflect.Value) error {
	text := string(bytes.TrimSpace(raw))
	n, _ := strconv.ParseFloat(text, 64) // infinite if it is too large
	least, most := l.numbers(v.Kind())
	if n < least || n > most || v.Kind() != reflect.Float64 && n != math.Trunc(n) {
		return fmt.Errorf("argument %q must be %s, not %s", name, want(v.Type(), l), clip(text))
	}
	v.Set(reflect.ValueOf(n).Convert(v.Type()))
	return nil
}

func decodeList(name string, l limits, raw json.RawMessage, v reflect.Value) error {
	items := mustDecode[[]json.RawMessage](raw)
	if err := l.checkLength(name, len(items), "items"); err != nil {
		return err
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		if err := decodeValue(fmt.Sprintf("%s[%d]", name, i), limits{enum: l.enum}, asText(v.Type().Elem(), item), v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func decodeMap(name string, raw json.RawMessage, v reflect.Value) error {
	items, err := splitObject(name+".", raw)
	if err != nil {
		return err
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, key := range slices.Sorted(maps.Keys(items)) {
		item := reflect.New(v.Type().Elem()).Elem()
		if err := decodeValue(name+"."+clip(key), limits{}, asText(item.Type(), items[key]), item); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(key), item)
	}
	return nil
}

// asText returns an item of a list or an object. If t is a string type and the item is a number, as
// in ["-n", 5], it returns the number as a JSON string.
func asText(t reflect.Type, item json.RawMessage) json.RawMessage {
	if t.Kind() == reflect.String && describe(item) == "a number" {
		return slices.Concat([]byte{'"'}, bytes.TrimSpace(item), []byte{'"'})
	}
	return item
}

// limits are the limits in the tag of a field. For a list, min and max limit its length, and enum its items.
type limits struct{ min, max, enum string }

func limitsOf(tag reflect.StructTag) limits {
	return limits{min: tag.Get("min"), max: tag.Get("max"), enum: tag.Get("enum")}
}

// checkLength returns an error if the length of a string or a list is not within the limits. It
// takes any minimum as 1, because no tag has another.
func (l limits) checkLength(name string, n int, unit string) error {
	switch most, err := strconv.Atoi(l.max); {
	case n == 0 && l.min != "":
		return fmt.Errorf("argument %q must not be empty", name)
	case err == nil && n > most:
		return fmt.Errorf("argument %q has %d %s, more than %d", name, n, unit, most)
	}
	return nil
}

// maxInteger is the largest integer that JSON readers agree on (RFC 8259, 6).
const maxInteger = 1<<53 - 1

// numbers returns the smallest and the largest number of a kind within the limits.
func (l limits) numbers(kind reflect.Kind) (least, most float64) {
	least, most = -maxInteger, maxInteger
	if kind == reflect.Uint64 {
		least = 0
	}
	if n, err := strconv.ParseFloat(l.min, 64); err == nil {
		least = n
	}
	if n, err := strconv.ParseFloat(l.max, 64); err == nil {
		most = n
	}
	return least, most
}

// want describes the values of a type that are within the limits.
func want(t reflect.Type, l limits) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if own, ok := reflect.New(t).Interface().(customArgument); ok {
		return own.want()
	}
	switch t.Kind() {
	case reflect.String:
		if l.enum != "" {
			return "one of " + strings.ReplaceAll(l.enum, ",", ", ")
		}
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list, each item " + want(t.Elem(), limits{enum: l.enum})
	case reflect.Map:
		return "an object whose values are strings"
	case reflect.Struct:
		if names := namesOf(t); len(names) > 0 {
			return "an object of " + strings.Join(names, ", ")
		}
		return "{}"
	}
	thing := "an integer"
	if t.Kind() == reflect.Float64 {
		thing = "a number"
	}
	least, most := l.numbers(t.Kind())
	return fmt.Sprintf("%s from %s to %s", thing, decimal(least), decimal(most))
}

// decimal formats a number without an exponent.
func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// describe returns the JSON type of raw with an article, or "nothing" if raw is blank.
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

// invalidText describes the bytes or characters of a JSON string that are not valid text, or
// returns "". raw is the JSON, and s the string decoded from it. encoding/json silently decodes
// invalid input to U+FFFD, which would then be typed.
func invalidText(raw json.RawMessage, s string) string {
	got := strings.Count(s, "\uFFFD")
	escapes := bytes.ToLower(bytes.ReplaceAll(raw, []byte(`\\`), nil)) // without escaped backslashes
	switch meant := bytes.Count(raw, []byte("\uFFFD")) + bytes.Count(escapes, []byte(`\ufffd`)); {
	case !utf8.Valid(raw):
		return "bytes that are not UTF-8; send text as UTF-8"
	case got > meant:
		return `half of a surrogate pair (\ud800 to \udfff), which is not a character`
	}
	return ""
}
