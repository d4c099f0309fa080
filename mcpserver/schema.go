package mcpserver

import (
	"encoding/json"
	"reflect"
	"strings"
)

// The arguments and the result of a tool are structs. The tags of their fields define both the
// schema and the check of the arguments:
//
//	json  the argument's name
//	doc   its meaning, for the model
//	need  "true" if it is required
//	min, max  limits on a number, on the length of a list, or on the bytes of a string
//	enum  the allowed words, comma-separated; for a list, those of its items
//	items  the type of a list's items; a schema with this tag has no limits for the list
//	default  the default value, only for the schema; doc describes a default that is not a value
//	schema  "hidden", also on an embedded struct, leaves the field out of the schema for models:
//	        models seldom need it, and each field costs tokens;
//	        "all" on an embedded struct includes its hidden fields;
//	        "bare" leaves the doc out of the schema for models, because the name says enough

// A Schema is a JSON Schema, limited to the keywords that the tools use.
type Schema struct {
	Type                 string          `json:"type,omitempty"`
	Description          string          `json:"description,omitempty"`
	Enum                 []string        `json:"enum,omitempty"`
	Default              json.RawMessage `json:"default,omitempty"`
	Minimum              json.Number     `json:"minimum,omitempty"`
	Maximum              json.Number     `json:"maximum,omitempty"`
	MinLength            json.Number     `json:"minLength,omitempty"`
	MaxLength            json.Number     `json:"maxLength,omitempty"`
	MinItems             json.Number     `json:"minItems,omitempty"`
	MaxItems             json.Number     `json:"maxItems,omitempty"`
	AnyOf                []*Schema       `json:"anyOf,omitempty"`
	Items                *Schema         `json:"items,omitempty"`
	Properties           Properties      `json:"properties,omitzero"`
	Required             []string        `json:"required,omitempty"`
	AdditionalProperties *Schema         `json:"additionalProperties,omitempty"`
}

// Properties are the properties of an object, in the order of the documentation.
type Properties []Property

// A Property is a property of an object.
type Property struct {
	Name string
	*Schema
}

// MarshalJSON implements json.Marshaler. It keeps the order of the properties.
func (p Properties) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, property := range p {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, mustJSON(property.Name)...), ':')
		b = append(b, mustJSON(property.Schema)...)
	}
	return append(b, '}'), nil
}

// A schemaUse is the purpose of a schema.
type schemaUse int

const (
	forResult schemaUse = iota
	forModel            // arguments except hidden ones, with short descriptions
	forPeople           // all arguments, with full descriptions
)

// A jsonField is a field of a struct of arguments or results, with its name in JSON.
type jsonField struct {
	name string
	reflect.StructField
}

// fieldsOf returns the fields of a struct, including those of embedded structs.
func fieldsOf(t reflect.Type) (fields []jsonField) {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.Anonymous && name != "" && name != "-" {
			fields = append(fields, jsonField{name, f})
		}
	}
	return fields
}

// namesOf returns the names of the fields of a struct in JSON.
func namesOf(t reflect.Type) (names []string) {
	for _, f := range fieldsOf(t) {
		names = append(names, f.name)
	}
	return names
}

// objectSchema returns the schema of a struct of arguments, or of a result as encoding/json writes it.
// The schema allows other properties. For arguments, the server reports an unknown one better than a
// client, and additionalProperties in every schema would cost a model a hundred tokens. For results,
// new versions of the server add fields, and clients may keep old schemas.
func objectSchema(t reflect.Type, use schemaUse) *Schema {
	s := &Schema{Type: "object", Properties: Properties{}}
	for _, f := range fieldsOf(t) {
		if use == forModel && isHidden(t, f.Index) {
			continue
		}
		s.Properties = append(s.Properties, Property{f.name, fieldSchema(f, use)})
		optional := strings.Contains(f.Tag.Get("json"), ",") || len(f.Index) > 1 && t.Field(f.Index[0]).Type.Kind() == reflect.Pointer
		if use == forResult && !optional || f.Tag.Get("need") == "true" {
			s.Required = append(s.Required, f.name)
		}
	}
	return s
}

// isHidden reports whether the schema of t for models leaves out the field at index. If several of the
// embedded structs and the field have a tag schema, the tag of the outermost decides.
func isHidden(t reflect.Type, index []int) bool {
	for i := range index {
		if tag := t.FieldByIndex(index[:i+1]).Tag.Get("schema"); tag != "" {
			return tag == "hidden"
		}
	}
	return false
}

// fieldSchema returns the schema of a field.
func fieldSchema(f jsonField, use schemaUse) *Schema {
	s := typeSchema(f.Type, use)
	if items := f.Tag.Get("items"); items != "" {
		s = &Schema{Type: "array", Items: &Schema{Type: items}}
	} else {
		s.setLimits(limitsOf(f.Tag))
	}
	if use != forModel || f.Tag.Get("schema") != "bare" {
		s.Description = f.Tag.Get("doc")
	}
	if def := f.Tag.Get("default"); s.Type == "string" && def != "" {
		s.Default = mustJSON(def)
	} else if def != "" {
		s.Default = json.RawMessage(def)
	}
	return s
}

// setLimits adds the limits and the allowed words of a field to its schema.
func (s *Schema) setLimits(l limits) {
	least, most, words := json.Number(l.min), json.Number(l.max), &s.Enum
	switch s.Type {
	case "string":
		s.MinLength, s.MaxLength = least, most
	case "array":
		s.MinItems, s.MaxItems, words = least, most, &s.Items.Enum
	case "integer", "number":
		s.Minimum, s.Maximum = least, most
	}
	if l.enum != "" {
		*words = strings.Split(l.enum, ",")
	}
}

// typeSchema returns the schema of the values of a type.
func typeSchema(t reflect.Type, use schemaUse) *Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if own, ok := reflect.New(t).Interface().(interface{ schema() *Schema }); ok {
		return own.schema()
	}
	switch t.Kind() {
	case reflect.String:
		return &Schema{Type: "string"}
	case reflect.Bool:
		return &Schema{Type: "boolean"}
	case reflect.Float64:
		return &Schema{Type: "number"}
	case reflect.Slice:
		return &Schema{Type: "array", Items: typeSchema(t.Elem(), use)}
	case reflect.Map:
		return &Schema{Type: "object", AdditionalProperties: typeSchema(t.Elem(), use)}
	case reflect.Struct:
		return objectSchema(t, use)
	}
	return &Schema{Type: "integer"}
}
