package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// verbCmd is callCmd with the tool's name as the command.
type verbCmd struct {
	callFlags
	Args []string `arg:"" optional:"" name:"key=value" help:"The tool's arguments."`

	tool *mcp.Tool
}

// Help returns the tool's description and arguments.
func (c *verbCmd) Help() string {
	var list []string
	for _, a := range toolArgs(c.tool) {
		list = append(list, a.describe())
	}
	if list == nil {
		list = []string{"none"}
	}
	return c.tool.Description + "\n\nArguments: " + strings.Join(list, "; ") + ".\n\n" +
		"How to write them, and the exit status: glasstty call --help."
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
}

// describe returns the argument with what it may be, for people.
func (a toolArg) describe() string {
	what := a.Type
	if a.Enum != nil {
		what = strings.Join(a.Enum, "|")
	}
	words := []string{what}
	if a.required {
		words = append(words, "required")
	}
	if a.Description != "" {
		words = append(words, a.Description)
	}
	if a.Default != nil {
		words = append(words, "default "+strings.Trim(string(a.Default), `"`))
	}
	return fmt.Sprintf("%s (%s)", a.name, strings.Join(words, ", "))
}

// toolArgs returns a tool's arguments, in the schema's order.
func toolArgs(t *mcp.Tool) []toolArg {
	text, _ := t.InputSchema.(json.RawMessage)
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
