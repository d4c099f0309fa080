package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session"
)

// maxKeys bounds the items of one keys list.
const maxKeys = 1000

// A keyList is the argument keys: key names, and literal text as {"text": …}.
type keyList []session.KeyPress

func (*keyList) schema() schemaNode {
	return schemaNode{Type: "array", Items: &schemaNode{AnyOf: []schemaNode{
		{Type: "string"},
		{
			Type: "object",
		},
	}}}
}

func (*keyList) want() string {
	return `a list of key names and {"text": …}, such as ["ctrl+c"]`
}

func (k *keyList) decode(raw json.RawMessage) error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return fmt.Errorf("must be %s, not %s", k.want(), describe(raw))
	}
	if len(items) > maxKeys {
		return fmt.Errorf("has %d keys, more than %d; use a repeat such as down*50, or {\"text\": …}", len(items), maxKeys)
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
	var name string
	if describe(raw) == "a string" && json.Unmarshal(raw, &name) == nil {
		key, n, err := emulator.ParseKey(name)
		if err != nil {
			return session.KeyPress{}, err
		}
		return session.KeyPress{Key: key, Repeat: n}, nil
	}
	var literal map[string]json.RawMessage
	if describe(raw) != "an object" || json.Unmarshal(raw, &literal) != nil {
		return session.KeyPress{}, fmt.Errorf("must be a key name or {\"text\": …}, not %s", describe(raw))
	}
	var text string
	value, ok := literal["text"]
	if !ok || len(literal) != 1 || describe(value) != "a string" || json.Unmarshal(value, &text) != nil {
		return session.KeyPress{}, errors.New(`an object must have the one field "text", a string`)
	}
	if loneSurrogate(value, text) {
		return session.KeyPress{}, errors.New(`its text holds half of a surrogate pair, which is no character`)
	}
	return session.KeyPress{Text: text}, nil
}
