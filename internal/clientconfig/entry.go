package clientconfig

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A shape is the form of a server's entry in a client's file.
type shape struct {
	before, after []field // the other fields of a new entry
	command       string  // the name of the field with the program
	args          string  // the name of the field with the arguments; "" if they follow the program in one list
}

// A field is a member of an object. Its value is JSON, which TOML and YAML accept too; an
// empty value is replaced by the server's name.
type field struct{ name, json string }

// fields returns the fields of a server's entry.
func (c Client) fields(s Server) []field {
	out := slices.Clone(c.shape.before)
	for i := range out {
		if out[i].json == "" {
			out[i].json = quote(s.Name)
		}
	}
	if c.shape.args == "" {
		out = append(out, field{c.shape.command, quoteList(s.line())})
	} else {
		out = append(out, field{c.shape.command, quote(s.Command)}, field{c.shape.args, quoteList(s.Args)})
	}
	return append(out, c.shape.after...)
}

// line returns the command and its arguments.
func (s Server) line() []string { return append([]string{s.Command}, s.Args...) }

// A diff is a change to an existing entry.
type diff struct {
	command    string   // the new program; "" if it does not change
	args, want []string // the current arguments and the wanted ones, or command lines if shape.args is ""
}

// changes reports whether u changes anything.
func (u diff) changes() bool { return u.command != "" || !slices.Equal(u.args, u.want) }

// update returns the change that makes an entry start the server, and applies it to the entry.
// Arguments that the user has added stay; those in setupFlags become the server's.
func (c Client) update(have map[string]any, s Server) (diff, error) {
	line, err := c.lineOf(have, s.Name)
	if err != nil {
		return diff{}, err
	}
	n, err := ownArgs(line, s.Name)
	if err != nil {
		return diff{}, err
	}
	k, err := ownArgs(s.line(), s.Name)
	if err != nil {
		return diff{}, err
	}
	want := append(slices.Clone(s.line()[:k]), withFlags(line[n:], s.line()[k:])...)
	u := diff{args: line, want: want}
	if c.shape.args != "" {
		u = diff{args: line[1:], want: want[1:]}
		if line[0] != want[0] {
			u.command = want[0]
		}
	}
	if u.command != "" {
		have[c.shape.command] = u.command
	}
	if !slices.Equal(u.args, u.want) {
		list := c.shape.args
		if list == "" {
			list = c.shape.command
		}
		have[list] = toAny(u.want)
	}
	return u, nil
}

// lineOf returns the words of the command that an entry starts.
func (c Client) lineOf(entry map[string]any, name string) ([]string, error) {
	var words []any
	if c.shape.args == "" {
		words, _ = entry[c.shape.command].([]any)
	} else if command, ok := entry[c.shape.command].(string); ok {
		args, ok := entry[c.shape.args].([]any)
		if entry[c.shape.args] != nil && !ok {
			return nil, fmt.Errorf("%w: the args of %q are not a list; remove it, or choose another name", ErrTaken, name)
		}
		words = append([]any{command}, args...)
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("%w: %q has no command; remove it, or choose another name", ErrTaken, name)
	}
	line := make([]string, len(words))
	for i, w := range words {
		text, ok := w.(string)
		if !ok {
			return nil, fmt.Errorf("%w: the command of %q has the word %v; remove it, or choose another name", ErrTaken, name, w)
		}
		line[i] = text
	}
	return line, nil
}

// ownArgs returns the index of glasstty's arguments in a command line, after the program or
// the npm package. It returns an error if the command starts another program.
func ownArgs(line []string, name string) (int, error) {
	n := 1
	if path.Base(line[0]) == "npx" {
		n = 1 + slices.IndexFunc(line, func(w string) bool { return w == npmPackage || strings.HasPrefix(w, npmPackage+"@") })
	}
	if n == 0 || n < len(line) && line[n] != serveCommand && !strings.HasPrefix(line[n], "--") {
		return 0, fmt.Errorf("%w: %q starts %q with %v; remove it, or choose another name", ErrTaken, name, line[0], line[1:])
	}
	return n, nil
}

// Words in the commands by which clients start glasstty.
const (
	npmPackage   = "glasstty"
	serveCommand = "mcp"
)

// setupFlags are the flags that setup adds to an entry and removes from it.
func setupFlags() []string { return []string{"--daemon"} }

// withFlags returns the arguments have with those setupFlags that are in want, and without the
// others.
func withFlags(have, want []string) []string {
	missing := slices.DeleteFunc(slices.Clone(want), func(w string) bool {
		return !slices.Contains(setupFlags(), w) || slices.Contains(have, w)
	})
	out := slices.DeleteFunc(slices.Clone(have), func(w string) bool {
		return slices.Contains(setupFlags(), w) && !slices.Contains(want, w)
	})
	if len(missing) == 0 {
		return out
	}
	if len(out) == 0 || out[0] != serveCommand {
		out = append([]string{serveCommand}, out...)
	}
	return slices.Insert(out, 1, missing...)
}

// toAny returns a list in the form that encoding/json decodes.
func toAny(list []string) []any {
	out := []any{}
	for _, s := range list {
		out = append(out, s)
	}
	return out
}
