package callargs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/glasstty/glasstty/internal/runes"
)

// Parse returns the arguments in words. The error names the word and the allowed form. If an
// argument has no schema, a number becomes a number, true and false become booleans, and
// everything else becomes a string.
func Parse(inputSchema []byte, words []string) (map[string]any, error) {
	var root jsonschema.Schema
	if err := json.Unmarshal(inputSchema, &root); err != nil {
		return nil, fmt.Errorf("the tool's input schema: %w", err)
	}
	p := parser{root: root, args: map[string]any{}}
	for _, w := range words {
		if err := p.word(w); err != nil {
			return nil, err
		}
	}
	return p.args, nil
}

// A parser collects arguments.
type parser struct {
	root jsonschema.Schema
	args map[string]any
}

// word parses one word.
func (p *parser) word(w string) error {
	key, text, ok := strings.Cut(w, "=")
	if !ok || key == "" {
		return fmt.Errorf("%q is not key=value, for example session_id=s1", clip(w))
	}
	if !utf8.ValidString(w) {
		return fmt.Errorf("%q is not UTF-8", clip(w))
	}
	if k, raw := strings.CutSuffix(key, ":"); raw {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			return fmt.Errorf("%s: %s is not JSON: %w", k, clip(text), err)
		}
		return p.set(k, v)
	}
	if top, field, dotted := strings.Cut(key, "."); dotted {
		if s := p.root.Properties[top]; s != nil && (s.Type == "object" || anyObject(s)) {
			return p.setField(top, field, s, text)
		}
	}
	s := p.root.Properties[key]
	if s != nil && s.Type == "array" && !looksLike(text, '[', ']') {
		return p.add(key, s, text)
	}
	v, err := value(s, key, text)
	if err != nil {
		return err
	}
	return p.set(key, v)
}

// set sets an argument. A second value is an error.
func (p *parser) set(key string, v any) error {
	if _, given := p.args[key]; given {
		return fmt.Errorf("%s is given twice", key)
	}
	p.args[key] = v
	return nil
}

// add appends an element to a list.
func (p *parser) add(key string, s *jsonschema.Schema, text string) error {
	v, err := value(s.Items, key, text)
	if err != nil {
		return err
	}
	list, ok := p.args[key].([]any)
	if _, given := p.args[key]; given && !ok {
		return fmt.Errorf("%s is given twice", key)
	}
	p.args[key] = append(list, v)
	return nil
}

// setField sets one field of an object of schema s.
func (p *parser) setField(key, field string, s *jsonschema.Schema, text string) error {
	v, err := value(cmp.Or(s.Properties[field], s.AdditionalProperties), key+"."+field, text)
	if err != nil {
		return err
	}
	object, ok := p.args[key].(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	if _, given := object[field]; given || !ok && p.args[key] != nil {
		return fmt.Errorf("%s.%s is given twice", key, field)
	}
	object[field] = v
	p.args[key] = object
	return nil
}

// value converts text to the type of s.
func value(s *jsonschema.Schema, key, text string) (any, error) {
	switch {
	case s == nil:
		return literal(text), nil
	case anyObject(s) && looksLike(text, '{', '}'), s.Type == "object", s.Type == "array":
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			return nil, fmt.Errorf("%s: %s is not JSON: %w; other text in brackets is written as JSON too: %s:=…", key, clip(text), err, key)
		}
		return v, nil
	}
	switch s.Type {
	case "integer":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is not a whole number", key, clip(text))
		}
		return n, nil
	case "number":
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || n != n || n-n != 0 {
			return nil, fmt.Errorf("%s: %q is not a number", key, clip(text))
		}
		return n, nil
	case "boolean":
		if text != "true" && text != "false" {
			return nil, fmt.Errorf("%s: %q is not true or false", key, clip(text))
		}
		return text == "true", nil
	}
	return text, nil
}

// literal converts text without a schema.
func literal(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) == nil {
		switch v.(type) {
		case bool, float64:
			return v
		}
	}
	return text
}

// anyObject reports whether s allows several types, including an object.
func anyObject(s *jsonschema.Schema) bool {
	return slices.ContainsFunc(s.AnyOf, func(a *jsonschema.Schema) bool { return a.Type == "object" })
}

// looksLike reports whether text is enclosed in the brackets left and right.
func looksLike(text string, left, right byte) bool {
	text = strings.TrimSpace(text)
	return len(text) >= 2 && text[0] == left && text[len(text)-1] == right
}

// maxShown is the most bytes of a value that an error quotes.
const maxShown = 80

// clip shortens a value for an error.
func clip(s string) string { return runes.Clip(s, maxShown) }
