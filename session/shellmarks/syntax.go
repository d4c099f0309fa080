package shellmarks

import (
	"slices"
	"strings"
)

// A syntax describes the options of a program. A short option is a letter after - or +, and one argument
// may have several letters, as in "-il". A long option begins with -- and is an argument of its own.
type syntax struct {
	// unmarked lists the options and arguments with which the program does not read commands from
	// its terminal, or does not read the file that adds the marks.
	unmarked []string
	// values lists the options with a value. The value is the rest of the argument or, if that is
	// empty, the next argument.
	values []string
	// stdin is the short option with which the first argument is not a script, or "" if there is
	// none. If a program has this option, "+" turns its options off.
	stdin string
}

// parse returns the options in a program's arguments, each with the index of its value in args, or
// 0 if it has no value in an argument of its own. ok reports whether the program reads commands
// from its terminal, and reads the file that adds the marks.
func (y *syntax) parse(args []string) (given map[string]int, ok bool) {
	given = map[string]int{}
	for i := 0; i < len(args); i++ {
		a := args[i]
		_, stdin := given[y.stdin]
		switch {
		case slices.Contains(y.unmarked, a):
			return nil, false
		case a == "-" || a == "--":
			return given, stdin || i+1 == len(args)
		case len(a) < 2 || a[0] != '-' && (y.stdin == "" || a[0] != '+'):
			return given, stdin
		}
		names, joined := split(a)
		for j, name := range names {
			if slices.Contains(y.unmarked, name) {
				return nil, false
			}
			given[name] = 0
			if !slices.Contains(y.values, name) {
				continue
			}
			if j == len(names)-1 && !joined {
				i++
				given[name] = i
			}
			break
		}
		if i == len(args) {
			return nil, false // an option without its value
		}
	}
	return given, true
}

// split returns the names of the options in an argument. joined reports whether the argument also
// contains the value of a long option, after "=".
func split(arg string) (names []string, joined bool) {
	if strings.HasPrefix(arg, "--") {
		name, _, joined := strings.Cut(strings.ToLower(arg), "=")
		return []string{name}, joined
	}
	for _, letter := range arg[1:] {
		names = append(names, arg[:1]+string(letter))
	}
	return names, false
}
