package callargs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/glasstty/glasstty/internal/runes"
)

// Parse returns the arguments in words. An error about a word names the word and the allowed form.
func Parse(inputSchema []byte, words []string) (map[string]any, error) {
	var input jsonschema.Schema
	if err := json.Unmarshal(inputSchema, &input); err != nil {
		return nil, fmt.Errorf("the tool's input schema: %w", err)
	}
	args := map[string]any{}
	for _, w := range words {
		if err := addWord(args, input.Properties, w); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// addWord adds the argument in a word to args.
func addWord(args map[string]any, schemas map[string]*jsonschema.Schema, word string) error {
	key, text, ok := strings.Cut(word, "=")
	switch {
	case !ok || key == "":
		return fmt.Errorf("%q is not key=value, for example session_id=s1", clip(word))
	case !utf8.ValidString(word):
		return fmt.Errorf("%q is not UTF-8", clip(word))
	}
	key, isJSON := strings.CutSuffix(key, ":")
	s, name, into := schemas[key], key, args
	if top, field, dotted := strings.Cut(key, "."); dotted && isObject(schemas[top]) {
		object, ok := args[top].(map[string]any)
		switch {
		case args[top] == nil:
			object = map[string]any{}
			args[top] = object
		case !ok:
			return fmt.Errorf("%s is given twice", top)
		}
		s, name, into = cmp.Or(schemas[top].Properties[field], schemas[top].AdditionalProperties), field, object
	}
	old, given := into[name]
	list, isList := old.([]any)
	isItem := !isJSON && s != nil && s.Type == "array" && !isEnclosed(text, '[', ']')
	switch {
	case given && !(isItem && isList):
		return fmt.Errorf("%s is given twice", key)
	case isJSON:
		s = &jsonschema.Schema{Type: "object"}
	case isItem:
		s = s.Items
	}
	v, err := value(s, key, text)
	if isItem {
		v = append(list, v)
	}
	into[name] = v
	return err
}

// value converts text to a value of schema s, which may be nil. Text for an object or a list must be
// JSON. If text should be a number or a boolean but is neither, it remains a string, and the server's
// error says what is allowed. Without a schema, a number or a boolean is decoded, and other text is a string.
func value(s *jsonschema.Schema, key, text string) (v any, err error) {
	if s != nil && (s.Type == "string" || s.AnyOf != nil && !isEnclosed(text, '{', '}')) {
		return text, nil
	}
	err = json.Unmarshal([]byte(text), &v)
	if s != nil && (s.Type == "object" || s.Type == "array" || s.AnyOf != nil) {
		if err != nil {
			return nil, fmt.Errorf("%s: %s is not JSON: %w; other text in brackets is written as JSON too: %s:=…", key, clip(text), err, key)
		}
		return v, nil
	}
	switch v.(type) {
	case bool, float64:
		return v, nil
	}
	return text, nil
}

// isObject reports whether s allows an object.
func isObject(s *jsonschema.Schema) bool {
	return s != nil && (s.Type == "object" || slices.ContainsFunc(s.AnyOf, isObject))
}

// isEnclosed reports whether text, without white space around it, starts with left and ends with right.
func isEnclosed(text string, left, right byte) bool {
	text = strings.TrimSpace(text)
	return len(text) >= 2 && text[0] == left && text[len(text)-1] == right
}

// maxShown is the maximum number of bytes of a value that an error quotes.
const maxShown = 80

// clip shortens a value for an error.
func clip(s string) string { return runes.Clip(s, maxShown) }
