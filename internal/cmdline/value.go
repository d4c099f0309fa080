package cmdline

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// isBool reports whether a flag with this target needs no value.
func isBool(v reflect.Value) bool {
	b, ok := v.Addr().Interface().(interface{ IsBool() bool })
	return v.Kind() == reflect.Bool || ok && b.IsBool()
}

// words returns the values for completion: those of the enum, or else those of v's Words
// method.
func (d *domain) words(v reflect.Value) []string {
	if d.enum != nil {
		return d.enum
	}
	if w, ok := v.Addr().Interface().(interface{ Words() []string }); ok {
		return w.Words()
	}
	return nil
}

// A domain is the set of values that a flag or an argument accepts.
type domain struct {
	enum     []string // nil if any word is allowed
	min, max float64  // limits of a number; infinite if there is none
	unit     string   // of a number, for errors
	off      string   // the number that the words off and 0 stand for; "" if they mean nothing special
}

// off is the value of a flag without a limit; 0 means the same.
const off = "off"

// domainOf returns the domain in the tags of a field.
func (g grammar) domainOf(tag reflect.StructTag) domain {
	d := domain{min: math.Inf(-1), max: math.Inf(1), unit: tag.Get("unit"), off: tag.Get("off")}
	if words := g.expand(tag.Get("enum")); words != "" {
		d.enum = strings.Split(words, ",")
	}
	for name, bound := range map[string]*float64{"min": &d.min, "max": &d.max} {
		if text := g.expand(tag.Get(name)); text != "" {
			var err error
			if *bound, err = strconv.ParseFloat(text, 64); err != nil {
				panic(err) // a mistake in a tag
			}
		}
	}
	return d
}

// number parses a number, which must be in the domain; whole demands a whole number.
func (d *domain) number(text string, whole bool) (float64, error) {
	if d.off != "" && (text == off || text == "0") {
		return strconv.ParseFloat(d.off, 64)
	}
	n, err := strconv.ParseFloat(text, 64)
	if err == nil && n >= d.min && n <= d.max && (!whole || n == math.Trunc(n)) {
		return n, nil
	}
	want := "number"
	if whole {
		want = "whole number"
	}
	if d.unit != "" {
		want += " of " + d.unit
	}
	if math.IsInf(d.max, 1) {
		want += " of at least " + decimal(d.min)
	} else {
		want += " from " + decimal(d.min) + " to " + decimal(d.max)
	}
	if d.off != "" {
		want += ", nor off"
	}
	return 0, fmt.Errorf("%q is not a %s", text, want)
}

// decimal writes a number without an exponent.
func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// set sets v to the value of text, which must be in the domain. It appends the
// comma-separated words of text to a slice.
func (d *domain) set(v reflect.Value, text string) error {
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch v.Kind() {
	case reflect.Bool:
		on, err := parseBool(text)
		v.SetBool(on)
		return err
	case reflect.String:
		if d.enum != nil && !slices.Contains(d.enum, text) {
			return fmt.Errorf("%q is not one of %s", text, strings.Join(d.enum, ", "))
		}
		v.SetString(text)
	case reflect.Int:
		n, err := d.number(text, true)
		v.SetInt(int64(n))
		return err
	case reflect.Float64:
		n, err := d.number(text, false)
		v.SetFloat(n)
		return err
	case reflect.Slice:
		for _, word := range splitWords(text) {
			v.Set(reflect.Append(v, reflect.ValueOf(word)))
		}
	default:
		return fmt.Errorf("flags cannot have the type %s", v.Type())
	}
	return nil
}

// setAny sets v to a value from a Source: a string, a number, a bool, or a list of these.
func (d *domain) setAny(v reflect.Value, value any) error {
	list, ok := value.([]any)
	if !ok {
		text, err := plain(value)
		if err != nil {
			return err
		}
		return d.set(v, text)
	}
	if v.Kind() != reflect.Slice {
		return errors.New("one value is needed, not a list")
	}
	for _, element := range list {
		text, err := plain(element)
		if err != nil {
			return err
		}
		v.Set(reflect.Append(v, reflect.ValueOf(text)))
	}
	return nil
}

// plain returns a value as it would be written on the command line.
func plain(value any) (string, error) {
	switch n := value.(type) {
	case string, bool, int64:
		return fmt.Sprint(value), nil
	case float64:
		return decimal(n), nil
	}
	return "", fmt.Errorf("a setting is a string, a number, true, false or a list of these, not %T", value)
}

// add appends words to the value of an argument.
func (a *Arg) add(words ...string) {
	a.target.Set(reflect.AppendSlice(a.target, reflect.ValueOf(words)))
}

// TOML returns the value of a flag in TOML, as in a settings file.
func (f *Flag) TOML() string {
	v := f.target
	if s, ok := v.Interface().(fmt.Stringer); ok {
		return quoted(s.String())
	}
	switch v.Kind() {
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Slice:
		words := make([]string, v.Len())
		for i := range words {
			words[i] = strconv.Quote(v.Index(i).String())
		}
		return "[" + strings.Join(words, ", ") + "]"
	case reflect.Int, reflect.Float64:
		text := fmt.Sprint(v.Interface())
		switch {
		case text == f.off:
			text = off
		case f.usual == "" && v.IsZero():
			text = ""
		}
		return quoted(text)
	}
	return fmt.Sprint(v.Interface())
}

// quoted returns text in quotes, unless it is a number.
func quoted(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return strconv.Quote(text)
}

// parseBool reads true or false.
func parseBool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "1", "yes":
		return true, nil
	case "false", "0", "no":
		return false, nil
	}
	return false, fmt.Errorf("%q is not one of true, 1, yes, false, 0, no", text)
}

// splitWords splits text at commas. A backslash makes a comma part of a word.
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
