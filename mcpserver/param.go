package mcpserver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A param is one argument of a tool, or one field of a result. It is read from the tags of a
// struct field, and defines both the schema and the check of the argument:
//
//	json  the argument's name
//	doc   its meaning, for the model
//	need  "true" if it is required
//	min, max  limits on a number, on the length of a list, or on the bytes of a string
//	enum  the allowed words, comma-separated; for a list, those of its items
//	items  the type of a list's items; the schema then says nothing else about them
//	default  the default, only for the schema; doc describes a default that is not a value
//	schema  "hidden", also on an embedded struct, leaves the field out of the schema;
//	        "all" on an embedded struct includes its hidden fields;
//	        "bare" leaves the doc out of the schema for models
type param struct {
	name  string
	doc   string
	need  bool
	min   *float64
	max   *float64
	enum  []string
	items string
	def   string       // the default as JSON, or unquoted for a string
	typ   reflect.Type // with a pointer removed
	index []int
	// hidden arguments are accepted but not in the schema: models seldom need them, and
	// each costs tokens.
	hidden bool
	// bare arguments are in the schema without their doc: their names explain them.
	bare bool
	// always reports whether encoding/json writes the field even if it is empty.
	always bool
}

// A custom argument type has its own schema and decoder. want describes the accepted values, and
// decode reports errors about p.
type custom interface {
	schema() Schema
	want() string
	decode(p param, raw json.RawMessage) error
}

// params lists the fields of the struct type t in order, including those of embedded structs.
func params(t reflect.Type) []param {
	var ps []param
	for _, f := range reflect.VisibleFields(t) {
		name, opt, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		p := param{
			name:   name,
			doc:    f.Tag.Get("doc"),
			need:   f.Tag.Get("need") == "true",
			min:    bound(f.Tag.Get("min")),
			max:    bound(f.Tag.Get("max")),
			items:  f.Tag.Get("items"),
			def:    f.Tag.Get("default"),
			typ:    f.Type,
			index:  f.Index,
			hidden: hidden(t, f.Index),
			bare:   f.Tag.Get("schema") == "bare",
			always: opt == "" && (len(f.Index) == 1 || t.Field(f.Index[0]).Type.Kind() != reflect.Pointer),
		}
		if e := f.Tag.Get("enum"); e != "" {
			p.enum = strings.Split(e, ",")
		}
		if p.typ.Kind() == reflect.Pointer {
			p.typ = p.typ.Elem()
		}
		ps = append(ps, p)
	}
	return ps
}

// hidden reports whether the schema of t leaves out the field at index. The outermost
// struct with a tag decides.
func hidden(t reflect.Type, index []int) bool {
	for i := range index {
		if tag := t.FieldByIndex(index[:i+1]).Tag.Get("schema"); tag != "" {
			return tag == "hidden"
		}
	}
	return false
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

// want describes the values that p accepts.
func (p param) want() string {
	if p.enum != nil && p.typ.Kind() != reflect.Slice {
		return "one of " + strings.Join(p.enum, ", ")
	}
	if c, ok := reflect.New(p.typ).Interface().(custom); ok {
		return c.want()
	}
	switch p.typ.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number" + p.span()
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "an integer" + p.span()
	case reflect.Slice:
		item := param{typ: p.typ.Elem(), enum: p.enum}.want()
		return "a list, each item " + item
	case reflect.Map:
		return "an object whose values are strings"
	}
	var names []string
	for _, q := range params(p.typ) {
		names = append(names, q.name)
	}
	if names == nil {
		return "{}"
	}
	return "an object of " + strings.Join(names, ", ")
}

// span describes the limits on a number.
func (p param) span() string {
	switch {
	case p.min != nil && p.max != nil:
		return fmt.Sprintf(" from %s to %s", number(*p.min), number(*p.max))
	case p.typ.Kind() == reflect.Uint64:
		return " of at least 0"
	case p.min != nil:
		return fmt.Sprintf(" of at least %s", number(*p.min))
	}
	return ""
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
