package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/session"
)

// maxKeys limits the items of one keys list, and maxShownKey the bytes of an unknown key name
// that an error quotes.
const (
	maxKeys     = 1000
	maxShownKey = 40
)

// A keyList is the value of the argument "keys": key names, and literal text as "text:…" or
// {"text": …}.
type keyList []session.KeyPress

func (*keyList) schema() *Schema {
	return &Schema{Type: "array", Items: &Schema{AnyOf: []*Schema{{Type: "string"}, {Type: "object"}}}}
}

func (*keyList) want() string {
	return `a list of key names and literal text, such as ["ctrl+c"] or ["text:yes","enter"]`
}

// decode implements customArgument.
func (k *keyList) decode(raw json.RawMessage) error {
	if describe(raw) != "a list" {
		return fmt.Errorf("must be %s, not %s", k.want(), describe(raw))
	}
	items := mustDecode[[]json.RawMessage](raw)
	if len(items) > maxKeys {
		return fmt.Errorf("has %d keys, more than %d; use a repeat such as down*50, or \"text:…\"", len(items), maxKeys)
	}
	list := make(keyList, 0, len(items))
	for i, item := range items {
		press, err := keyPress(item)
		if err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		list = append(list, press)
	}
	*k = list
	return nil
}

// keyPress decodes one item of a keys list.
func keyPress(raw json.RawMessage) (session.KeyPress, error) {
	raw = asText(reflect.TypeFor[string](), raw) // the number 5 is the key "5"
	if describe(raw) == "a string" {
		name := mustDecode[string](raw)
		if n := len(literalPrefix); len(name) >= n && strings.EqualFold(name[:n], literalPrefix) {
			return literalText(raw, name[n:])
		}
		if what := invalidText(raw, name); what != "" {
			return session.KeyPress{}, fmt.Errorf("contains %s", what)
		}
		key, n, err := emulator.ParseKey(name)
		if errors.Is(err, emulator.ErrUnknownKey) {
			err = fmt.Errorf("%w; to type it as text, use %q", err, literalPrefix+runes.Clip(name, maxShownKey))
		}
		if err != nil {
			return session.KeyPress{}, err
		}
		return session.KeyPress{Key: key, Repeat: n}, nil
	}
	if describe(raw) != "an object" {
		return session.KeyPress{}, fmt.Errorf("must be a key name or text such as \"text:yes\", not %s", describe(raw))
	}
	literal := mustDecode[map[string]json.RawMessage](raw)
	value := literal["text"]
	if len(literal) != 1 || describe(value) != "a string" {
		return session.KeyPress{}, errors.New(`an object must have the one field "text", a string`)
	}
	return literalText(value, mustDecode[string](value))
}

// literalPrefix marks literal text among key names.
const literalPrefix = "text:"

// literalText returns the KeyPress that types text. raw is the JSON that text was decoded from.
func literalText(raw json.RawMessage, text string) (session.KeyPress, error) {
	if what := invalidText(raw, text); what != "" {
		return session.KeyPress{}, fmt.Errorf("its text contains %s", what)
	}
	if text == "" {
		return session.KeyPress{}, errors.New(`has no text to type; leave it out`)
	}
	return session.KeyPress{Text: text}, nil
}
