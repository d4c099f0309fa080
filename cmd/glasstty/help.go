package main

import (
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/internal/cmdline"
	"github.com/glasstty/glasstty/internal/nearest"
	"github.com/glasstty/glasstty/mcpserver"
)

// rewriteHelp rewrites arguments for package cmdline: "help COMMAND" to "COMMAND --help", and
// --version or -v to the command version.
func rewriteHelp(args []string) []string {
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

// unknownCommand returns an error if the first argument is neither a command of root nor a flag. If a
// command has a similar name, the error includes its help.
func unknownCommand(root *cmdline.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || root.Find(args[0]) != nil {
		return nil
	}
	listed := []string{"help"}
	for _, c := range root.Commands {
		if !c.Hidden {
			listed = append(listed, c.Name)
		}
	}
	if ours := mcpserver.ForeignTools[args[0]]; ours != "" {
		return usageError(fmt.Errorf("unknown command %q; use %s", args[0], ours))
	}
	near := nearest.Word(args[0], listed)
	if near == "" {
		return usageError(fmt.Errorf("unknown command %q; glasstty help lists all commands", args[0]))
	}
	return statusError{fmt.Errorf("unknown command %q, did you mean %q?", args[0], near), exitUsage, cmdline.Help(root, near)}
}

// argumentError returns the error for invalid arguments. For a misspelt name, it includes the command's help.
func argumentError(root *cmdline.Command, args []string, err error) error {
	if strings.Contains(err.Error(), "did you mean") {
		return statusError{err, exitUsage, cmdline.Help(root, args...)}
	}
	return usageError(err)
}
