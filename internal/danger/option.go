package danger

import "strings"

// values returns the values of the options that names lists, in every way that they
// can be written: --name X, --name=X, -name X; and of a letter -n X, -nX, -abn X.
func (c *command) values(names ...string) []field {
	var out []field
	for i, a := range c.args {
		if len(a.s) < 2 || a.s[0] != '-' {
			continue
		}
		v, here, ok := anyValue(a, names)
		if ok && !here && i+1 < len(c.args) {
			v = c.args[i+1]
		}
		if v.s != "" {
			out = append(out, v)
		}
	}
	return out
}

// anyValue is optionValue for several names, the whole word before the letter that it
// begins with: -out is not -o ut.
func anyValue(a field, names []string) (v field, here, ok bool) {
	for _, n := range names {
		if len(n) > 2 {
			if v, here, ok = optionValue(a, n); ok {
				return v, here, ok
			}
		}
	}
	for _, n := range names {
		if len(n) == 2 {
			if v, here, ok = optionValue(a, n); ok {
				return v, here, ok
			}
		}
	}
	return field{}, false, false
}

// optionValue reports whether the word a is the option name, and whether its value
// stands in the same word.
func optionValue(a field, name string) (v field, here, ok bool) {
	switch {
	case a.s == name:
		return field{}, false, true
	case len(name) > 2:
		rest, found := strings.CutPrefix(a.s, name+"=")
		return field{s: rest, src: a.src}, true, found
	case strings.HasPrefix(a.s, "--"):
	case strings.HasPrefix(a.s, name):
		return field{s: strings.TrimPrefix(a.s[2:], "="), src: a.src}, true, true
	case a.s[len(a.s)-1] == name[1] && letters(a.s[1:]):
		return field{}, false, true
	}
	return field{}, false, false
}

// letters reports whether text is a bundle of option letters.
func letters(text string) bool {
	return len(text) <= 6 && strings.IndexFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) < 0
}
