package mcpserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// The arguments and the result of a tool are structs. The tags of their fields define both the
// schema and the check of the arguments:
//
//	json  the argument's name
//	doc   its meaning, for the model
//	need  "true" if it is required
//	min, max  limits on a number, on the length of a list, or on the bytes of a string
//	enum  the allowed words, comma-separated; for a list, those of its items
//	items  the type of a list's items; the schema then says nothing else about the list
//	default  the default, only for the schema; doc describes a default that is not a value
//	schema  "hidden", also on an embedded struct, leaves the field out of the schema for models,
//	        which seldom need it and pay tokens for each;
//	        "all" on an embedded struct includes its hidden fields;
//	        "bare" leaves the doc out of the schema for models, because the name says enough

// A schemaUse is the purpose of a schema.
type schemaUse int

const (
	forResult schemaUse = iota
	forModel            // arguments except hidden ones, with short descriptions
	forPeople           // all arguments, with full descriptions
	forCheck            // all arguments, with custom types
)

// A custom argument type has its own schema for models and people, and its own decoder, whose
// errors follow the name of the argument. want describes the accepted values. If the type is a
// struct, an object is checked like any other.
type custom interface {
	schema() *jsonschema.Schema
	want() string
	json.Unmarshaler
}

// customType is the key of the reflect.Type of a custom type in the Extra of a schema.
const customType = "customType"

// objectSchema returns the schema of the struct t: of arguments, or of a result as encoding/json
// writes it. The schema allows other properties. The server's error about an unknown argument is
// better than a client's, and additionalProperties in every schema would cost a model a hundred
// tokens. Results get new fields in new versions, while clients keep old schemas.
func objectSchema(t reflect.Type, use schemaUse) *jsonschema.Schema {
	n := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, f := range reflect.VisibleFields(t) {
		name, opt, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" || use == forModel && hidden(t, f.Index) {
			continue
		}
		n.PropertyOrder = append(n.PropertyOrder, name)
		n.Properties[name] = fieldSchema(f, use)
		always := opt == "" && (len(f.Index) == 1 || t.Field(f.Index[0]).Type.Kind() != reflect.Pointer)
		if use == forResult && always || f.Tag.Get("need") == "true" {
			n.Required = append(n.Required, name)
		}
	}
	return n
}

// hidden reports whether the schema of t for models leaves out the field at index. The outermost
// struct with a tag decides.
func hidden(t reflect.Type, index []int) bool {
	for i := range index {
		if tag := t.FieldByIndex(index[:i+1]).Tag.Get("schema"); tag != "" {
			return tag == "hidden"
		}
	}
	return false
}

// fieldSchema returns the schema of a field.
func fieldSchema(f reflect.StructField, use schemaUse) *jsonschema.Schema {
	n := typeSchema(f.Type, use)
	if items := f.Tag.Get("items"); items != "" && use != forCheck {
		n = &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: items}}
	} else {
		setLimits(n, f.Tag)
	}
	if use != forModel || f.Tag.Get("schema") != "bare" {
		n.Description = f.Tag.Get("doc")
	}
	if def := f.Tag.Get("default"); n.Type == "string" && def != "" {
		n.Default = mustJSON(def)
	} else if def != "" {
		n.Default = json.RawMessage(def)
	}
	return n
}

// setLimits adds the limits and the allowed words of a field to its schema.
func setLimits(n *jsonschema.Schema, tag reflect.StructTag) {
	least, most := bound(tag.Get("min")), bound(tag.Get("max"))
	words := n
	switch n.Type {
	case "string":
		n.MinLength, n.MaxLength = length(least), length(most)
	case "array":
		n.MinItems, n.MaxItems = length(least), length(most)
		words = n.Items
	case "integer", "number":
		n.Minimum, n.Maximum = cmp.Or(least, n.Minimum), most
	}
	if enum := tag.Get("enum"); enum != "" {
		for word := range strings.SplitSeq(enum, ",") {
			words.Enum = append(words.Enum, word)
		}
	}
}

// bound parses a limit from a tag. It returns nil if the tag is empty.
func bound(tag string) *float64 {
	if tag == "" {
		return nil
	}
	v, err := strconv.ParseFloat(tag, 64)
	if err != nil {
		panic(fmt.Sprintf("mcpserver: bound %q of an argument: %v", tag, err))
	}
	return &v
}

// length returns a limit as a length.
func length(limit *float64) *int {
	if limit == nil {
		return nil
	}
	n := int(*limit)
	return &n
}

// typeSchema returns the schema of the values of a type.
func typeSchema(t reflect.Type, use schemaUse) *jsonschema.Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if own, ok := reflect.New(t).Interface().(interface{ schema() *jsonschema.Schema }); ok && use != forCheck {
		return own.schema()
	}
	n := &jsonschema.Schema{Type: "integer"}
	switch t.Kind() {
	case reflect.String:
		n.Type = "string"
	case reflect.Bool:
		n.Type = "boolean"
	case reflect.Float64:
		n.Type = "number"
	case reflect.Uint64:
		if use == forCheck { // a model need not be told
			n.Minimum = new(float64)
		}
	case reflect.Slice:
		n.Type, n.Items = "array", typeSchema(t.Elem(), use)
	case reflect.Map:
		n.Type, n.AdditionalProperties = "object", typeSchema(t.Elem(), use)
	case reflect.Struct:
		n = objectSchema(t, use)
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[custom]()) {
		n.Extra = map[string]any{customType: t}
	}
	return n
}

// appendSchema appends the JSON of a schema, with its properties in order, to b. It writes the
// keywords that the tools use. The package's own encoder takes several times as long, which is
// felt at each start.
func appendSchema(b []byte, s *jsonschema.Schema) []byte {
	first := true
	add := func(keyword string, value []byte) {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(append(strconv.AppendQuote(b, keyword), ':'), value...)
	}
	number := func(keyword string, limit *float64) {
		if limit != nil {
			add(keyword, mustJSON(*limit))
		}
	}
	count := func(keyword string, limit *int) {
		if limit != nil {
			add(keyword, strconv.AppendInt(nil, int64(*limit), 10))
		}
	}
	b = append(b, '{')
	if s.Type != "" {
		add("type", strconv.AppendQuote(nil, s.Type))
	}
	if s.Description != "" {
		add("description", mustJSON(s.Description))
	}
	if s.Enum != nil {
		add("enum", mustJSON(s.Enum))
	}
	if s.Default != nil {
		add("default", s.Default)
	}
	number("minimum", s.Minimum)
	number("maximum", s.Maximum)
	count("minLength", s.MinLength)
	count("maxLength", s.MaxLength)
	count("minItems", s.MinItems)
	count("maxItems", s.MaxItems)
	if s.AnyOf != nil {
		var each [][]byte
		for _, one := range s.AnyOf {
			each = append(each, appendSchema(nil, one))
		}
		add("anyOf", slices.Concat([]byte("["), bytes.Join(each, []byte(",")), []byte("]")))
	}
	if s.Items != nil {
		add("items", appendSchema(nil, s.Items))
	}
	if s.Properties != nil {
		list := []byte{'{'}
		for i, name := range s.PropertyOrder {
			if i > 0 {
				list = append(list, ',')
			}
			list = appendSchema(append(strconv.AppendQuote(list, name), ':'), s.Properties[name])
		}
		add("properties", append(list, '}'))
	}
	if s.Required != nil {
		add("required", mustJSON(s.Required))
	}
	if s.AdditionalProperties != nil {
		add("additionalProperties", appendSchema(nil, s.AdditionalProperties))
	}
	return append(b, '}')
}
