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

// unknownCommand returns an error if the first argument is not a command of root. The error
// includes the help of a command with a similar name.
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
		return usageError(fmt.Errorf("unknown command %q; use %s", args[0], ours))
	}
	near := nearest.Word(args[0], listed)
	if near == "" && nearest.Word(args[0], []string{"help"}) != "" {
		return usageError(fmt.Errorf("unknown command %q, did you mean \"help\"?", args[0]))
	}
	if near == "" {
		return usageError(fmt.Errorf("unknown command %q; glasstty help lists all commands", args[0]))
	}
	return statusError{fmt.Errorf("unknown command %q, did you mean %q?", args[0], near), exitUsage, cmdline.Help(root, near)}
}

// misused returns the error for invalid arguments. It includes the command's help if the name
// of a flag or an argument is wrong.
func misused(root *cmdline.Command, args []string, err error) error {
	var path []string
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			break
		}
		path = append(path, a)
	}
	text, command := err.Error(), strings.Join(path, " ")
	examples := manual()[command].examples
	switch missing, ok := strings.CutPrefix(text, "missing argument: "); {
	case strings.HasPrefix(text, "unknown flag"), strings.HasPrefix(text, "unexpected argument"):
		return unknownName(root, path, err)
	case ok && examples != nil:
		return usageError(fmt.Errorf("%s needs a %s, for example: %s", command, missing, examples[0]))
	}
	return usageError(err)
}

// unknownName returns the error for a flag or an argument that a command does not have.
func unknownName(root *cmdline.Command, path []string, err error) error {
	if name, ok := strings.CutPrefix(err.Error(), "unknown flag --"); ok && len(path) > 0 {
		if key := toolKey(path, name); key != "" {
			return usageError(fmt.Errorf("unknown flag --%s; the arguments of a tool are key=value: %s=…", name, key))
		}
	}
	return statusError{err, exitUsage, cmdline.Help(root, path...)}
}

// toolKey returns the argument of a tool with the name of a flag, or "" if there is none. path
// names the tool.
func toolKey(path []string, flag string) string {
	tool := path[0]
	if tool == "call" && len(path) > 1 {
		tool = path[1]
	}
	flag, _, _ = strings.Cut(flag, ",") // the error may end with: did you mean …
	flag = strings.ReplaceAll(flag, "-", "_")
	for _, t := range mcpserver.Tools() {
		if t.Name == tool && slices.ContainsFunc(toolArgs(t), func(a mcpserver.Property) bool { return a.Name == flag }) {
			return flag
		}
	}
	return ""
}
