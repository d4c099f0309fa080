package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/cmdline"
	"github.com/glasstty/glasstty/mcpserver"
)

// verbCmd is callCmd for one tool, whose name is the command.
type verbCmd struct {
	callFlags
	Args []string `arg:"" optional:"" name:"key=value" help:"The tool's arguments."`

	tool *mcp.Tool
}

// verbs are the tools as commands: "glasstty snapshot …" is "glasstty call
// snapshot …".
func verbs() []cmdline.Command {
	var out []cmdline.Command
	for _, t := range mcpserver.Tools() {
		summary, _ := splitSummary(t.Description)
		v := &verbCmd{tool: t}
		c := cmdline.New(t.Name, summary, v, nil)
		c.Group, c.Keys = "Tools", v.keys
		for i := range c.Flags {
			f := &c.Flags[i]
			f.Hidden = f.Name == "output" && t.Name != toolSnapshot || f.Name == "once" && t.Name != toolStart
		}
		out = append(out, *c)
	}
	return out
}

// Help returns what the tool's description says after its first sentence, which is
// the command's help.
func (c *verbCmd) Help() string {
	_, rest := splitSummary(c.tool.Description)
	return rest + "\n\nHow arguments are written, and the exit status: glasstty help call."
}

// splitSummary returns the first clause of a tool's description, as a sentence, and
// the rest.
func splitSummary(description string) (summary, rest string) {
	i := max(0, strings.IndexAny(description, ".:;"))
	rest = strings.TrimSpace(strings.TrimLeft(description[i:], ".:; "))
	if rest != "" {
		rest = strings.ToUpper(rest[:1]) + rest[1:]
	}
	return description[:i] + ".", rest
}

// keys returns the tool's arguments for help and completion.
func (c *verbCmd) keys() []cmdline.Arg {
	var out []cmdline.Arg
	for _, a := range toolArgs(c.tool) {
		if words, ok := shellWords[a.Description]; ok {
			a.Description = words
		}
		out = append(out, cmdline.Arg{Name: a.name, Help: a.describe(), Optional: !a.required})
	}
	return out
}

// shellWords replace descriptions of arguments that do not fit a shell, where \n is not a line
// break and a list is written as JSON.
var shellWords = map[string]string{
	`\n is Enter`: "what to type, as it stands; press_enter=true ends it",
	"as in send_and_read": "JSON, a list of up to 50 objects with expect (a regex that must match first), text, keys, " +
		"press_enter, paste, wait_for, until, timeout",
	"as in send_and_read; control characters are sent as they are": "what to type, as it stands; press_enter=true ends it",
}

func (c *verbCmd) run(ctx context.Context, std stdio) error {
	return c.callFlags.call(ctx, std, c.tool.Name, c.Args)
}

// A toolArg is one argument of a tool, as its schema has it.
type toolArg struct {
	name     string
	required bool

	Type        string          `json:"type"`
	Enum        []string        `json:"enum"`
	Default     json.RawMessage `json:"default"`
	Description string          `json:"description"`
	Items       json.RawMessage `json:"items"`
}

// describe returns the meaning and the type of the argument for people.
func (a toolArg) describe() string {
	what := a.Type
	if a.Enum != nil {
		what = strings.Join(a.Enum, "|")
	}
	words := slices.DeleteFunc([]string{a.Description, what}, func(s string) bool { return s == "" })
	if a.required {
		words = append(words, "required")
	}
	if a.Default != nil {
		words = append(words, "default "+strings.Trim(string(a.Default), `"`))
	}
	return strings.Join(words, "; ")
}

// toolArgs returns a tool's arguments, in the schema's order.
func toolArgs(t *mcp.Tool) []toolArg {
	text, _ := t.InputSchema.(json.RawMessage)
	return schemaArgs(text)
}

// schemaArgs returns the properties of an object's schema, in order.
func schemaArgs(text json.RawMessage) []toolArg {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(text, &s) != nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(s.Properties))
	if _, err := d.Token(); err != nil {
		return nil
	}
	var args []toolArg
	for d.More() {
		name, err := d.Token()
		var a toolArg
		if err != nil || d.Decode(&a) != nil {
			break
		}
		a.name = fmt.Sprint(name)
		a.required = slices.Contains(s.Required, a.name)
		args = append(args, a)
	}
	return args
}
