package cmdline

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// off is a value of bool flags and of flags with the tag off. The value 0 has the same effect.
const off = "off"

// set sets the target to the value of text. It appends comma-separated words to a list.
func (p *Param) set(text string) error {
	if u, ok := p.target.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch v := p.target; v.Kind() {
	case reflect.Bool:
		low := strings.ToLower(text)
		on := slices.Contains([]string{"true", "1", "yes", "on"}, low)
		if !on && !slices.Contains([]string{"false", "0", "no", off}, low) {
			return fmt.Errorf("%q is not true or false", text)
		}
		v.SetBool(on)
	case reflect.String:
		if p.enum && !slices.Contains(p.Words, text) {
			return fmt.Errorf("%q is not one of %s", text, strings.Join(p.Words, ", "))
		}
		v.SetString(text)
	case reflect.Int:
		n, err := p.number(text, "whole number")
		v.SetInt(int64(n))
		return err
	case reflect.Float64:
		n, err := p.number(text, "number")
		v.SetFloat(n)
		return err
	default:
		*p.list = append(*p.list, splitWords(text)...)
	}
	return nil
}

// number parses a number within the limits, or a word for p.off. kind is "number" or "whole number".
func (p *Param) number(text, kind string) (float64, error) {
	if p.off != "" && (text == off || text == "0") {
		return strconv.ParseFloat(p.off, 64)
	}
	n, err := strconv.ParseFloat(text, 64)
	if kind != "number" && (n != math.Trunc(n) || math.Abs(n) > maxInteger) {
		err = strconv.ErrSyntax
	}
	if err == nil && n >= p.min && n <= p.max {
		return n, nil
	}
	if p.unit != "" {
		kind += " of " + p.unit
	}
	limits := " from " + decimal(p.min) + " to " + decimal(p.max)
	if math.IsInf(p.max, 1) {
		limits = " of at least " + decimal(p.min)
	}
	if p.off != "" {
		limits += ", nor off"
	}
	return 0, fmt.Errorf("%q is not a %s%s", text, kind, limits)
}

// maxInteger is the largest n for which a float64 represents n and n+1 exactly.
const maxInteger = 1<<53 - 1

// decimal formats a number without an exponent.
func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// splitWords splits text at commas, and removes blanks around the words. A backslash makes a comma
// part of a word.
func splitWords(text string) []string {
	words := strings.Split(strings.ReplaceAll(text, `\,`, "\x00"), ",")
	for i := range words {
		words[i] = strings.ReplaceAll(strings.TrimSpace(words[i]), "\x00", ",")
	}
	return words
}

// IsList reports whether the value is a list.
func (p *Param) IsList() bool { return p.list != nil }

// TOML returns the current value of a flag in TOML, for a settings file. A number that is not set is "".
func (p *Param) TOML() string {
	if p.list != nil {
		var words []string
		for _, word := range *p.list {
			words = append(words, strconv.Quote(word))
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	text := fmt.Sprint(p.target.Interface())
	number := p.target.Kind() == reflect.Int || p.target.Kind() == reflect.Float64
	switch {
	case p.off != "" && text == p.off:
		text = off
	case number && p.defaultText == "" && p.target.IsZero():
		text = ""
	}
	if _, err := strconv.ParseFloat(text, 64); p.target.Kind() == reflect.Bool || err == nil && p.target.Kind() != reflect.String {
		return text
	}
	return strconv.Quote(text)
}
