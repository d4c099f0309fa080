package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/cmdline"
	"github.com/glasstty/glasstty/mcpserver"
)

// toolCommands returns the tools as commands: "glasstty snapshot …" is "glasstty call snapshot …".
func toolCommands() []cmdline.Command {
	var out []cmdline.Command
	for _, t := range mcpserver.Tools() {
		summary, rest := splitSummary(t.Description)
		c := cmdline.New(t.Name, summary, &callCmd{Tool: t.Name}, nil)
		c.Group, c.Args, c.Keys = "Tools", c.Args[1:], toolKeys(t) // without the tool's name
		c.Detail = rest + "\n\nHow arguments are written, and the exit status: glasstty help call."
		c.Flags = slices.DeleteFunc(c.Flags, func(f cmdline.Param) bool { return f.Name == "output" && t.Name != toolSnapshot })
		out = append(out, *c)
	}
	return out
}

// splitSummary returns a tool's description up to the first period, colon or semicolon, and the rest.
func splitSummary(description string) (summary, rest string) {
	i := max(0, strings.IndexAny(description, ".:;"))
	rest = strings.TrimSpace(strings.TrimLeft(description[i:], ".:; "))
	if rest != "" {
		rest = strings.ToUpper(rest[:1]) + rest[1:]
	}
	return description[:i] + ".", rest
}

// toolKeys returns the tool's arguments as the keys of a command, for help and completion.
func toolKeys(t *mcp.Tool) []cmdline.Param {
	keys := []cmdline.Param{} // not nil, even for a tool without arguments
	for _, a := range toolArgs(t.InputSchema) {
		a.Description = cmp.Or(shellDescriptions[a.Description], a.Description)
		keys = append(keys, cmdline.Param{Name: a.Name, Help: describe(a)})
	}
	return keys
}

// shellDescriptions maps descriptions of arguments to descriptions for a shell, where \n is not a line
// break and a list is written as JSON.
var shellDescriptions = map[string]string{
	`\n is Enter`: "what to type, as it stands; press_enter=true ends it",
	"as in send_and_read": "JSON, a list of up to 50 objects with expect (a regex that must match first), text, keys, " +
		"press_enter, paste, wait_for, until, timeout",
	"as in send_and_read; control characters are sent as they are": "what to type, as it stands; press_enter=true ends it",
}

// describe returns the description, type and default of an argument as text.
func describe(a toolArg) string {
	what := a.Type
	if a.Enum != nil {
		what = strings.Join(a.Enum, "|")
	}
	words := slices.DeleteFunc([]string{a.Description, what}, func(s string) bool { return s == "" })
	if a.Required {
		words = append(words, "required")
	}
	if a.Default != nil {
		words = append(words, "default "+a.defaultText())
	}
	return strings.Join(words, "; ")
}

// A toolArg is an argument of a tool, or a field of an argument that is an object.
type toolArg struct {
	Name     string
	Required bool
	*mcpserver.Schema
}

// toolArgs returns the arguments in a tool's input schema, in the schema's order.
func toolArgs(input any) (args []toolArg) {
	s := input.(*mcpserver.Schema)
	for _, p := range s.Properties {
		args = append(args, toolArg{p.Name, slices.Contains(s.Required, p.Name), p.Schema})
	}
	return args
}

// defaultText returns the argument's default as text, without the quotes of a JSON string.
func (a toolArg) defaultText() string { return strings.Trim(string(a.Default), `"`) }
