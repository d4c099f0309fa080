package mcpserver

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// A Schema is a JSON Schema (2020-12) with the keywords that the tools use. A Default is a
// string, or JSON.
type Schema struct {
	Type        string     `json:"type,omitempty"`
	Description string     `json:"description,omitempty"`
	Enum        []string   `json:"enum,omitempty"`
	Default     any        `json:"default,omitempty"`
	Minimum     *float64   `json:"minimum,omitempty"`
	Maximum     *float64   `json:"maximum,omitempty"`
	MinLength   *float64   `json:"minLength,omitempty"`
	MaxLength   *float64   `json:"maxLength,omitempty"`
	MinItems    *float64   `json:"minItems,omitempty"`
	MaxItems    *float64   `json:"maxItems,omitempty"`
	AnyOf       []Schema   `json:"anyOf,omitempty"`
	Items       *Schema    `json:"items,omitempty"`
	Properties  properties `json:"properties,omitzero"`
	Required    []string   `json:"required,omitempty"`
	Additional  *Schema    `json:"additionalProperties,omitempty"`
}

// properties are an object's properties in the order of the struct's fields.
type properties []Property

// A Property is a property of an object, such as an argument of a tool.
type Property struct {
	Name     string
	Required bool
	Schema
}

// MarshalJSON writes the properties as an object, in order.
func (ps properties) MarshalJSON() ([]byte, error) {
	members := make([]string, len(ps))
	for i, p := range ps {
		node, err := json.Marshal(p.Schema)
		if err != nil {
			return nil, err
		}
		members[i] = strconv.Quote(p.Name) + ":" + string(node)
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

// IsZero reports whether ps is nil; an empty object is still written.
func (ps properties) IsZero() bool { return ps == nil }

// A schemaUse is the purpose of a schema.
type schemaUse int

const (
	forResult schemaUse = iota
	forModel            // arguments except hidden ones, with short descriptions
	forPeople           // all arguments, with full descriptions
)

// objectSchema returns the schema of the struct t: of arguments, or of a result as encoding/json
// writes it. It allows other properties: for arguments the server's error is better than a
// client's, and additionalProperties in every schema would cost a model a hundred tokens; to
// results, new versions add fields while clients keep old schemas.
func objectSchema(t reflect.Type, use schemaUse) Schema {
	n := Schema{Type: "object", Properties: properties{}}
	for _, p := range params(t) {
		if p.hidden && use == forModel {
			continue
		}
		n.Properties = append(n.Properties, Property{p.name, p.need, p.node(use)})
		if use == forResult && p.always || p.need {
			n.Required = append(n.Required, p.name)
		}
	}
	return n
}

// node returns p's schema.
func (p param) node(use schemaUse) Schema {
	n := Schema{}
	if p.items != "" {
		n = Schema{Type: "array", Items: &Schema{Type: p.items}}
	} else if c, ok := reflect.New(p.typ).Interface().(interface{ schema() Schema }); ok {
		n = c.schema()
	} else {
		n = p.plainNode(use)
	}
	if !p.bare || use != forModel {
		n.Description = p.doc
	}
	n.Default = p.defaultValue()
	if p.enum != nil && p.typ.Kind() != reflect.Slice {
		n.Enum = p.enum
	}
	return n
}

// defaultValue returns p's default for encoding as JSON, or nil if it has none.
func (p param) defaultValue() any {
	switch {
	case p.def == "":
		return nil
	case p.typ.Kind() == reflect.String:
		return p.def
	}
	return json.RawMessage(p.def)
}

func (p param) plainNode(use schemaUse) Schema {
	switch p.typ.Kind() {
	case reflect.String:
		return Schema{Type: "string", MinLength: p.min, MaxLength: p.max}
	case reflect.Bool:
		return Schema{Type: "boolean"}
	case reflect.Float64:
		return Schema{Type: "number", Minimum: p.min, Maximum: p.max}
	case reflect.Slice:
		item := param{typ: p.typ.Elem(), enum: p.enum}.node(use)
		return Schema{Type: "array", Items: &item, MinItems: p.min, MaxItems: p.max}
	case reflect.Map:
		value := param{typ: p.typ.Elem()}.node(use)
		return Schema{Type: "object", Additional: &value}
	case reflect.Struct:
		return objectSchema(p.typ, use)
	}
	return Schema{Type: "integer", Minimum: p.min, Maximum: p.max}
}
