package clientconfig

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A shape is the form of a server's entry in a client's file.
type shape struct {
	before, after []field // the fields of a new entry before and after the command line
	command       string  // the name of the field with the program
	args          string  // the name of the field with the arguments; "" if they follow the program in one list
}

// A field is a member of an object. Its value is JSON, which TOML and YAML accept too.
type field struct{ name, json string }

// fields returns the fields of a server's entry.
func (c Client) fields(s Server) []field {
	return slices.Concat(c.shape.before, c.commandFields(s.argv()), c.shape.after)
}

// commandFields returns the fields with a command line.
func (c Client) commandFields(line []string) []field {
	if c.shape.args == "" {
		return []field{{c.shape.command, quoteList(line)}}
	}
	return []field{{c.shape.command, quote(line[0])}, {c.shape.args, quoteList(line[1:])}}
}

// argv returns the command and its arguments.
func (s Server) argv() []string { return append([]string{s.Command}, s.Args...) }

// commandLines returns the command line have of an entry, and the command line want with which the
// entry would start s. want contains the arguments that the user has added to have. The error is
// ErrTaken if the entry starts another program.
func (c Client) commandLines(entry any, s Server) (have, want []string, err error) {
	if have, err = c.commandLineOf(entry); err != nil {
		return nil, nil, err
	}
	n, err := argsIndex(have)
	if err != nil {
		return nil, nil, err
	}
	k, err := argsIndex(s.argv())
	if err != nil {
		return nil, nil, err
	}
	return have, slices.Concat(s.argv()[:k], withDaemon(have[n:], slices.Contains(s.Args, daemonFlag))), nil
}

// commandLineOf returns the command line that an entry starts.
func (c Client) commandLineOf(entry any) ([]string, error) {
	fields, _ := entry.(map[string]any)
	words, ok := fields[c.shape.command].([]any)
	if c.shape.args != "" {
		var args []any
		args, ok = fields[c.shape.args].([]any)
		ok = ok || fields[c.shape.args] == nil
		words = append([]any{fields[c.shape.command]}, args...)
	}
	line := make([]string, len(words))
	for i, w := range words {
		text, isText := w.(string)
		line[i], ok = text, ok && isText
	}
	if !ok || len(line) == 0 {
		return nil, fmt.Errorf("%w: %q is not an entry with a command; remove it, or rename it", ErrTaken, serverName)
	}
	return line, nil
}

// argsIndex returns the index of glasstty's arguments in a command line, after the program or the
// npm package. The error is ErrTaken if npx runs another package, or if the first argument is neither
// serveCommand nor a flag: such a command line starts another program.
func argsIndex(line []string) (int, error) {
	n := 1
	if path.Base(line[0]) == "npx" {
		n = 1 + slices.IndexFunc(line, func(w string) bool { return w == npmPackage || strings.HasPrefix(w, npmPackage+"@") })
	}
	if n == 0 || n < len(line) && line[n] != serveCommand && !strings.HasPrefix(line[n], "--") {
		return 0, fmt.Errorf("%w: %q starts %q with %v; remove it, or rename it", ErrTaken, serverName, line[0], line[1:])
	}
	return n, nil
}

// Words in the commands by which clients start glasstty. daemonFlag is the only flag that setup
// adds to an entry and removes from it.
const (
	npmPackage   = "glasstty"
	serveCommand = "mcp"
	daemonFlag   = "--daemon"
)

// withDaemon returns glasstty's arguments with daemonFlag, if on is true, or without it.
func withDaemon(args []string, on bool) []string {
	switch has := slices.Contains(args, daemonFlag); {
	case has == on:
		return args
	case has:
		return slices.DeleteFunc(slices.Clone(args), func(w string) bool { return w == daemonFlag })
	case len(args) > 0 && args[0] == serveCommand:
		args = args[1:]
	}
	return append([]string{serveCommand, daemonFlag}, args...)
}
