package main

import (
	"strings"

	"github.com/alecthomas/kong"

	"github.com/glasstty/glasstty/internal/cliref"
)

// describe returns the command line as completion and manual see it.
func describe(std stdio) (*cliref.Command, error) {
	parser, err := newParser(std)
	if err != nil {
		return nil, err
	}
	c := describeNode(parser.Model.Node)
	return &c, nil
}

// describeNode describes a command and those below it.
func describeNode(n *kong.Node) cliref.Command {
	c := cliref.Command{Name: n.Name, Help: n.Help, Detail: n.Detail, Hidden: n.Hidden}
	if n.Group != nil {
		c.Group = n.Group.Title
	}
	for _, f := range n.Flags {
		flag := cliref.Flag{Name: f.Name, Help: f.Help, Hidden: f.Hidden, Words: wordsOf(f.Value)}
		if f.Short != 0 {
			flag.Short = string(f.Short)
		}
		if !f.IsBool() {
			flag.Value = f.FormatPlaceHolder()
		}
		flag.Env = strings.Join(f.Envs, ", ")
		c.Flags = append(c.Flags, flag)
	}
	for _, p := range n.Positional {
		c.Args = append(c.Args, cliref.Arg{
			Name: p.Name, Help: p.Help, Optional: !p.Required, Many: p.IsCumulative(), Words: wordsOf(p),
		})
	}
	if n.Target.IsValid() && n.Target.CanAddr() {
		if v, ok := n.Target.Addr().Interface().(interface{ argWords() []string }); ok && len(c.Args) > 0 {
			c.Args[len(c.Args)-1].Words = v.argWords()
		}
	}
	for _, child := range n.Children {
		c.Commands = append(c.Commands, describeNode(child))
	}
	return c
}

// wordsOf returns the words that a value can be, which its type tells.
func wordsOf(v *kong.Value) []string {
	if !v.Target.CanAddr() {
		return nil
	}
	if w, ok := v.Target.Addr().Interface().(interface{ words() []string }); ok {
		return w.words()
	}
	return nil
}

// argWords returns what a tool's arguments begin with.
func (c *verbCmd) argWords() []string {
	var out []string
	for _, a := range toolArgs(c.tool) {
		out = append(out, a.name+"=")
	}
	return out
}
