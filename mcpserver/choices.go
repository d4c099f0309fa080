package mcpserver

import (
	"encoding/json"
	"strings"

	"github.com/glasstty/glasstty/session/selected"
)

// choices is the field "selected" of a reply: the texts that stand out on the screen as
// selected, the likeliest first. As JSON a single text is a string, several are a list.
type choices []string

// MarshalJSON implements json.Marshaler.
func (c choices) MarshalJSON() ([]byte, error) {
	if len(c) == 1 {
		return json.Marshal(c[0])
	}
	return json.Marshal([]string(c))
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *choices) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*c = choices{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(c))
}

// schema returns the JSON schema of choices: a string or a list of strings.
func (c choices) schema() schemaNode {
	return schemaNode{AnyOf: []schemaNode{{Type: "string"}, {Type: "array", Items: &schemaNode{Type: "string"}}}}
}

// selectedPart returns the part of a status line that says what is selected.
func selectedPart(list []selected.Choice) string {
	quoted := make([]string, len(list))
	for i, c := range list {
		quoted[i] = quotedShort(c.Text)
	}
	return "selected " + strings.Join(quoted, ", ")
}
