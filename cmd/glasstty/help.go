package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/cmdline"
	"github.com/glasstty/glasstty/internal/nearest"
	"github.com/glasstty/glasstty/mcpserver"
)

// helpFirst translates arguments for package cmdline: "help COMMAND" to "COMMAND --help", and
// --version or -v to the command version.
func helpFirst(args []string) []string {
	if len(args) == 0 {
		return args
	}
	switch args[0] {
	case "help":
		if len(args) > 1 && args[1] == "help" {
			args = args[1:]
		}
		return append(args[1:len(args):len(args)], "--help")
	case "--version", "-v":
		return append([]string{"version"}, args[1:]...)
	}
	return args
}

// unknownCommand returns an error when the first argument is not a command of root, with the
// help of the command that was probably meant.
func unknownCommand(root *cmdline.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || root.Has(args[0]) {
		return nil
	}
	var listed []string
	for _, c := range root.Commands {
		if !c.Hidden {
			listed = append(listed, c.Name)
		}
	}
	if ours := mcpserver.ForeignTool(args[0]); ours != "" {
		return usageError{fmt.Errorf("unknown command %q; use %s", args[0], ours)}
	}
	near := nearest.Word(args[0], listed)
	if near == "" && nearest.Word(args[0], []string{"help"}) != "" {
		return usageError{fmt.Errorf("unknown command %q, did you mean \"help\"?", args[0])}
	}
	if near == "" {
		return usageError{fmt.Errorf("unknown command %q; glasstty help lists all commands", args[0])}
	}
	return usageError{helpfulError{fmt.Errorf("unknown command %q, did you mean %q?", args[0], near), cmdline.Help(root, near)}}
}

// misused returns the error for invalid arguments, with the help of the command when a name is
// wrong.
func misused(root *cmdline.Command, args []string, err error) error {
	var path []string
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			break
		}
		path = append(path, a)
	}
	text := err.Error()
	switch missing, ok := strings.CutPrefix(text, "missing argument: "); {
	case strings.HasPrefix(text, "unknown flag"), strings.HasPrefix(text, "unexpected argument"):
		return unknownName(root, path, err)
	case ok && len(path) > 0 && examples[path[len(path)-1]] != nil:
		return usageError{fmt.Errorf("%s needs a %s, for example: %s", strings.Join(path, " "), missing, examples[path[len(path)-1]][0])}
	}
	return usageError{err}
}

// unknownName returns the error for a flag or an argument that a command does not have.
func unknownName(root *cmdline.Command, path []string, err error) error {
	if name, ok := strings.CutPrefix(err.Error(), "unknown flag --"); ok && len(path) > 0 {
		if key := toolKey(path, name); key != "" {
			return usageError{fmt.Errorf("unknown flag --%s; the arguments of a tool are key=value: %s=…", name, key)}
		}
	}
	return usageError{helpfulError{err, cmdline.Help(root, path...)}}
}

// toolKey returns the tool argument with the name of a flag, "" for none; path names the tool.
func toolKey(path []string, flag string) string {
	tool := path[0]
	if tool == "call" && len(path) > 1 {
		tool = path[1]
	}
	flag, _, _ = strings.Cut(flag, ",") // the error may end with: did you mean …
	flag = strings.ReplaceAll(flag, "-", "_")
	for _, t := range mcpserver.Tools() {
		if t.Name == tool && slices.ContainsFunc(toolArgs(t), func(a toolArg) bool { return a.name == flag }) {
			return flag
		}
	}
	return ""
}

// A helpfulError is an error with the help of a command.
type helpfulError struct {
	error
	help string
}

// Unwrap returns the reason.
func (e helpfulError) Unwrap() error { return e.error }
