package cmdline

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// isBool reports whether a flag with this target needs no value.
func isBool(v reflect.Value) bool {
	b, ok := v.Addr().Interface().(interface{ IsBool() bool })
	return v.Kind() == reflect.Bool || ok && b.IsBool()
}

// wordsOf returns the values that completion knows: of an enum, or else of v's type.
func wordsOf(v reflect.Value, enum []string) []string {
	if enum != nil {
		return enum
	}
	if w, ok := v.Addr().Interface().(interface{ Words() []string }); ok {
		return w.Words()
	}
	return nil
}

// set gives v the value that text is, one of enum where there is any; a slice gets what it
// has between commas more.
func set(v reflect.Value, text string, enum []string) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch v.Kind() {
	case reflect.Bool:
		on, err := parseBool(text)
		v.SetBool(on)
		return err
	case reflect.String:
		if enum != nil && !slices.Contains(enum, text) {
			return fmt.Errorf("%q is not one of %s", text, strings.Join(enum, ", "))
		}
		v.SetString(text)
	case reflect.Slice:
		for _, word := range splitWords(text) {
			v.Set(reflect.Append(v, reflect.ValueOf(word)))
		}
	default:
		return fmt.Errorf("flags cannot have the type %s", v.Type())
	}
	return nil
}

// add gives an argument more words.
func (a *Arg) add(words ...string) {
	a.target.Set(reflect.AppendSlice(a.target, reflect.ValueOf(words)))
}

// setAny gives v a value from another source: a string, or a list of strings.
func setAny(v reflect.Value, value any, enum []string) error {
	list := reflect.ValueOf(value)
	switch {
	case list.Kind() != reflect.Slice:
		return set(v, fmt.Sprint(value), enum)
	case v.Kind() != reflect.Slice:
		return errors.New("one value is needed, not a list")
	}
	for i := range list.Len() {
		v.Set(reflect.Append(v, reflect.ValueOf(fmt.Sprint(list.Index(i).Interface()))))
	}
	return nil
}

// Get returns f's value, nil when it is a pointer to nothing.
func (f *Flag) Get() any {
	v := f.target
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	return v.Interface()
}

// parseBool reads yes or no.
func parseBool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "1", "yes":
		return true, nil
	case "false", "0", "no":
		return false, nil
	}
	return false, fmt.Errorf("%q is not one of true, 1, yes, false, 0, no", text)
}

// splitWords returns what is between commas. After a backslash a comma is part of a word.
func splitWords(text string) []string {
	var words []string
	word := ""
	for part := range strings.SplitSeq(text, ",") {
		if before, ok := strings.CutSuffix(part, `\`); ok {
			word += before + ","
			continue
		}
		words = append(words, word+part)
		word = ""
	}
	if word != "" {
		words = append(words, word)
	}
	return words
}
