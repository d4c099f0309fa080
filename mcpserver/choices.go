package mcpserver

import (
	"encoding/json"
	"strings"

	"github.com/glasstty/glasstty/session/selected"
)

// choices is the field "selected" of a reply: the texts that look selected on the screen, the most
// likely first. In JSON, one text is a string, and several are a list.
type choices []string

// MarshalJSON implements json.Marshaler.
func (c choices) MarshalJSON() ([]byte, error) {
	if len(c) == 1 {
		return json.Marshal(c[0])
	}
	return json.Marshal([]string(c))
}

// schema returns the JSON schema of choices: a string or a list of strings.
func (c choices) schema() *Schema {
	text := &Schema{Type: "string"}
	return &Schema{AnyOf: []*Schema{text, {Type: "array", Items: text}}}
}

// selectedPart returns the part of a status line that lists the selected texts, or "".
func selectedPart(list []selected.Choice) string {
	if len(list) == 0 {
		return ""
	}
	quoted := make([]string, len(list))
	for i, c := range list {
		quoted[i] = quotedShort(c.Text)
	}
	return "selected " + strings.Join(quoted, ", ")
}
