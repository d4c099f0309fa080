package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/shell"

	"github.com/glasstty/glasstty/internal/cmdline"
)

// TestHelpPages checks that each command and tool has examples, that the examples parse,
// and that a help page has at most 60 lines.
func TestHelpPages(t *testing.T) {
	t.Parallel()
	root := programWithTools()
	var visit func(c *cmdline.Command, path []string)
	visit = func(c *cmdline.Command, path []string) {
		if c.Hidden {
			return
		}
		if rows := strings.Count(cmdline.Help(root, path...), "\n"); rows > 60 {
			t.Errorf("help of %v has %d lines, want at most 60", path, rows)
		}
		if len(c.Commands) == 0 && len(c.Examples) == 0 {
			t.Errorf("%v has no examples", path)
		}
		for _, e := range c.Examples {
			command, _, _ := strings.Cut(e, " > ")
			command, _, _ = strings.Cut(command, " | ")
			words, err := shell.Fields(command, func(string) string { return "x" })
			if err != nil || len(words) == 0 || words[0] != "glasstty" {
				t.Errorf("example %s: words %q, error %v", e, words, err)
				continue
			}
			tryExample(t, e, words[1:])
		}
		for i := range c.Commands {
			visit(&c.Commands[i], append(path[:len(path):len(path)], c.Commands[i].Name))
		}
	}
	visit(root, nil)
}

// placeholder matches a word that the reader of an example replaces.
var placeholder = regexp.MustCompile(`^[A-Z]{3,}$`)

// tryExample parses arguments as the program does, without running it.
func tryExample(t *testing.T, where string, args []string) {
	t.Helper()
	if len(args) > 0 && (args[0] == "help" || args[0] == "--version") {
		return
	}
	for i, a := range args {
		if placeholder.MatchString(a) {
			args[i] = "cursor"
		}
	}
	if _, err := parse(args, stdio{out: os.Stdout, err: os.Stderr}); err != nil {
		t.Errorf("%s: glasstty %s: %v", where, strings.Join(args, " "), err)
	}
}
