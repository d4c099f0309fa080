package mcpserver

import (
	"encoding/json"
	"reflect"
	"strings"
)

// A schemaNode is a JSON Schema (2020-12) with the keywords that the tools use, in the order
// that suits a model.
type schemaNode struct {
	Type        string       `json:"type,omitempty"`
	Description string       `json:"description,omitempty"`
	Enum        []string     `json:"enum,omitempty"`
	Default     any          `json:"default,omitempty"`
	Minimum     *float64     `json:"minimum,omitempty"`
	Maximum     *float64     `json:"maximum,omitempty"`
	MinLength   *float64     `json:"minLength,omitempty"`
	MaxLength   *float64     `json:"maxLength,omitempty"`
	MinItems    *float64     `json:"minItems,omitempty"`
	MaxItems    *float64     `json:"maxItems,omitempty"`
	AnyOf       []schemaNode `json:"anyOf,omitempty"`
	Items       *schemaNode  `json:"items,omitempty"`
	Properties  properties   `json:"properties,omitzero"`
	Required    []string     `json:"required,omitempty"`
	Additional  *schemaNode  `json:"additionalProperties,omitempty"`
}

// properties are an object's properties in the order of the struct's fields.
type properties []property

type property struct {
	name string
	node schemaNode
}

// MarshalJSON writes the properties as an object, in order.
func (ps properties) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, p := range ps {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(p.name)
		if err != nil {
			return nil, err
		}
		node, err := json.Marshal(p.node)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(node)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// IsZero reports whether ps is nil; an empty object is still written.
func (ps properties) IsZero() bool { return ps == nil }

// A schemaUse is the purpose of a schema.
type schemaUse int

const (
	forResult schemaUse = iota
	forModel            // arguments, with short descriptions
	forPeople           // arguments, also hidden ones, with full descriptions
)

// inputSchema returns the schema of the arguments that t's fields describe. It does not
// forbid other arguments: the server's error for these is better, and additionalProperties
// in every schema would cost a model a hundred tokens.
func inputSchema(t reflect.Type, use schemaUse) schemaNode {
	n := schemaNode{Type: "object", Properties: properties{}}
	for _, p := range params(t) {
		if p.hidden && use == forModel {
			continue
		}
		n.Properties = append(n.Properties, property{p.name, p.node(use)})
		if p.need {
			n.Required = append(n.Required, p.name)
		}
	}
	return n
}

// outputSchema returns the schema of t as encoding/json writes it. Fields without omitempty
// are required, except those of an embedded pointer. Unknown fields are allowed, because new
// versions add fields while clients keep old schemas.
func outputSchema(t reflect.Type) schemaNode {
	n := schemaNode{Type: "object", Properties: properties{}}
	for _, f := range reflect.VisibleFields(t) {
		name, opt, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" {
			continue
		}
		p := param{name: name, doc: f.Tag.Get("doc"), typ: f.Type}
		if e := f.Tag.Get("enum"); e != "" {
			p.enum = strings.Split(e, ",")
		}
		if p.typ.Kind() == reflect.Pointer {
			p.typ = p.typ.Elem()
		}
		n.Properties = append(n.Properties, property{name, p.node(forResult)})
		if opt == "" && t.Field(f.Index[0]).Type.Kind() != reflect.Pointer || opt == "" && len(f.Index) == 1 {
			n.Required = append(n.Required, name)
		}
	}
	return n
}

// node returns p's schema.
func (p param) node(use schemaUse) schemaNode {
	n := schemaNode{}
	if c, ok := reflect.New(p.typ).Interface().(interface{ schema() schemaNode }); ok {
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

// defaultValue returns p's default as JSON has it, nil when it has none.
func (p param) defaultValue() any {
	switch {
	case p.def == "":
		return nil
	case p.typ.Kind() == reflect.String:
		return p.def
	}
	return json.RawMessage(p.def)
}

func (p param) plainNode(use schemaUse) schemaNode {
	switch p.typ.Kind() {
	case reflect.String:
		return schemaNode{Type: "string", MinLength: p.min, MaxLength: p.max}
	case reflect.Bool:
		return schemaNode{Type: "boolean"}
	case reflect.Float64:
		return schemaNode{Type: "number", Minimum: p.min, Maximum: p.max}
	case reflect.Slice:
		item := param{typ: p.typ.Elem(), enum: p.enum}.node(use)
		return schemaNode{Type: "array", Items: &item, MinItems: p.min, MaxItems: p.max}
	case reflect.Map:
		value := param{typ: p.typ.Elem()}.node(use)
		return schemaNode{Type: "object", Additional: &value}
	case reflect.Struct:
		if use == forResult {
			return outputSchema(p.typ)
		}
		return inputSchema(p.typ, use)
	}
	return schemaNode{Type: "integer", Minimum: p.min, Maximum: p.max}
}
