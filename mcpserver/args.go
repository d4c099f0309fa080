package mcpserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

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
	checked, err := checkObject("", objectSchema(reflect.TypeOf(dst).Elem(), forCheck), given)
	if err != nil {
		return err
	}
	return json.Unmarshal(checked, dst)
}

// checkObject checks the values in given, and returns them in a form that encoding/json can
// decode. Errors put prefix before the name of an argument.
func checkObject(prefix string, s *jsonschema.Schema, given map[string]json.RawMessage) (json.RawMessage, error) {
	names := s.PropertyOrder
	if s.AdditionalProperties != nil {
		names = slices.Sorted(maps.Keys(given))
	} else if err := checkNames(prefix, names, given); err != nil {
		return nil, err
	}
	checked := make(map[string]json.RawMessage, len(given))
	for _, key := range names {
		p, need := cmp.Or(s.Properties[key], s.AdditionalProperties), slices.Contains(s.Required, key)
		name := prefix + clip(key)
		raw, ok := given[key]
		switch {
		case !ok && need:
			return nil, fmt.Errorf("argument %q is missing: it must be %s (%s)", name, want(p), p.Description)
		case !ok:
			continue
		case describe(raw) == "null" && need:
			return nil, fmt.Errorf("argument %q must be %s, not null; it is required", name, want(p))
		case describe(raw) == "null":
			return nil, fmt.Errorf("argument %q must be %s, not null; leave it out instead", name, want(p))
		case s.AdditionalProperties != nil:
			raw = asText(p, raw)
		}
		var err error
		if checked[key], err = check(name, p, raw); err != nil {
			return nil, err
		}
	}
	return mustJSON(checked), nil
}

// checkNames returns an error for the first name in given that is not in names. If the name comes
// from another terminal server's tools, the error names ours.
func checkNames(prefix string, names []string, given map[string]json.RawMessage) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(names, name) {
			continue
		}
		hint := cmp.Or(foreignArgument(name, names), nearest.Guess(name, names, ""))
		allowed := "the arguments are " + strings.Join(names, ", ")
		if len(names) == 0 {
			allowed = "there are no arguments"
		}
		return fmt.Errorf("unknown argument %q%s; %s", clip(prefix+name), hint, allowed)
	}
	return nil
}

// jsonTypes maps the types of a schema to the names that describe gives them.
var jsonTypes = map[string]string{
	"string": "a string", "boolean": "a boolean", "array": "a list", "object": "an object", "integer": "a number", "number": "a number",
}

// check checks the value of an argument, and returns it in a form that encoding/json can decode:
// the integer 5.0 becomes 5. An error about a wrong type does not show the value, which may be a
// secret given in the wrong place.
func check(name string, s *jsonschema.Schema, raw json.RawMessage) (json.RawMessage, error) {
	kind := describe(raw)
	if t, ok := s.Extra[customType].(reflect.Type); ok && (kind != "an object" || t.Kind() != reflect.Struct) {
		if err := json.Unmarshal(raw, reflect.New(t).Interface()); err != nil {
			return nil, fmt.Errorf("argument %q %w", name, err)
		}
		return raw, nil
	}
	if kind != jsonTypes[s.Type] {
		return nil, fmt.Errorf("argument %q must be %s, not %s", name, want(s), kind)
	}
	switch s.Type {
	case "string":
		return raw, checkString(name, s, raw)
	case "integer", "number":
		return checkNumber(name, s, raw)
	case "array":
		return checkList(name, s, read[[]json.RawMessage](raw))
	case "object":
		return checkObject(name+".", s, read[map[string]json.RawMessage](raw))
	}
	return raw, nil
}

// read decodes raw, whose JSON type fits T.
func read[T any](raw json.RawMessage) (v T) {
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(fmt.Sprintf("mcpserver: %T from %s: %v", v, describe(raw), err))
	}
	return v
}

func checkString(name string, s *jsonschema.Schema, raw json.RawMessage) error {
	text := read[string](raw)
	if what := invalidText(raw, text); what != "" {
		return fmt.Errorf("argument %q contains %s", name, what)
	}
	if s.Enum != nil && !slices.Contains(s.Enum, any(text)) {
		return fmt.Errorf("argument %q must be %s, not %q", name, want(s), clip(text))
	}
	return checkLength(name, len(text), "bytes", s.MinLength, s.MaxLength)
}

// checkLength returns an error if the length of a string or a list is not within the limits.
func checkLength(name string, n int, unit string, least, most *int) error {
	switch {
	case least != nil && n < *least:
		return fmt.Errorf("argument %q must not be empty", name)
	case most != nil && n > *most:
		return fmt.Errorf("argument %q has %d %s, more than %d", name, n, unit, *most)
	}
	return nil
}

// checkNumber accepts any JSON number of the right value: 5.0 is an integer
// (JSON Schema 2020-12, 6.1.1).
func checkNumber(name string, s *jsonschema.Schema, raw json.RawMessage) (json.RawMessage, error) {
	n, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil {
		n = math.Inf(1) // too large for any argument
	}
	integer := s.Type == "integer"
	if integer && n > maxInteger && s.Maximum == nil {
		return nil, fmt.Errorf("argument %q must be at most %d, not %s", name, maxInteger, clip(string(bytes.TrimSpace(raw))))
	}
	if math.IsInf(n, 0) || integer && (n != math.Trunc(n) || math.Abs(n) > maxInteger) ||
		s.Minimum != nil && n < *s.Minimum || s.Maximum != nil && n > *s.Maximum {
		return nil, fmt.Errorf("argument %q must be %s, not %s", name, want(s), clip(string(bytes.TrimSpace(raw))))
	}
	if integer {
		return strconv.AppendInt(nil, int64(n), 10), nil
	}
	return raw, nil
}

// maxInteger is the largest integer that JSON readers agree on (RFC 8259, 6).
const maxInteger = 1<<53 - 1

func checkList(name string, s *jsonschema.Schema, items []json.RawMessage) (json.RawMessage, error) {
	if err := checkLength(name, len(items), "items", s.MinItems, s.MaxItems); err != nil {
		return nil, err
	}
	for i, item := range items {
		var err error
		if items[i], err = check(fmt.Sprintf("%s[%d]", name, i), s.Items, asText(s.Items, item)); err != nil {
			return nil, err
		}
	}
	return mustJSON(items), nil
}

// asText returns an item of a list or an object as a JSON string when a string is wanted
// and the item is a number, as in ["-n", 5].
func asText(s *jsonschema.Schema, item json.RawMessage) json.RawMessage {
	if s.Type == "string" && describe(item) == "a number" {
		return slices.Concat([]byte{'"'}, bytes.TrimSpace(item), []byte{'"'})
	}
	return item
}

// want describes the values that a schema for the use forCheck accepts.
func want(s *jsonschema.Schema) string {
	if t, ok := s.Extra[customType].(reflect.Type); ok {
		return reflect.New(t).Interface().(custom).want()
	}
	switch {
	case s.Enum != nil:
		return "one of " + Words(s.Enum, ", ")
	case s.Type == "boolean":
		return "true or false"
	case s.Type == "number":
		return "a number" + span(s)
	case s.Type == "integer":
		return "an integer" + span(s)
	case s.Type == "array":
		return "a list, each item " + want(s.Items)
	case s.AdditionalProperties != nil:
		return "an object whose values are strings"
	case len(s.PropertyOrder) > 0:
		return "an object of " + strings.Join(s.PropertyOrder, ", ")
	case s.Type == "object":
		return "{}"
	}
	return "a string"
}

// Words joins the words that a schema allows.
func Words(enum []any, separator string) string {
	words := make([]string, len(enum))
	for i, word := range enum {
		words[i] = fmt.Sprint(word)
	}
	return strings.Join(words, separator)
}

// span describes the limits on a number.
func span(s *jsonschema.Schema) string {
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf(" from %v to %v", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf(" of at least %v", *s.Minimum)
	}
	return ""
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

// invalidText describes the bytes or characters of a JSON string that are not valid text, or
// returns "". raw is the JSON, and s the string decoded from it. encoding/json silently decodes
// invalid input to U+FFFD, which would then be typed.
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
