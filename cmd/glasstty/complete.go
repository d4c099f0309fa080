package main

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/internal/cmdline"
)

//go:embed completion
var completionScripts embed.FS

// completionCmd prints a shell's completion script. The scripts get all completions from the command
// __complete, so a script works with every version of glasstty.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c *completionCmd) run(_ context.Context, std stdio) error {
	script, err := completionScripts.ReadFile("completion/glasstty." + c.Shell)
	if err != nil {
		return err
	}
	_, err = std.out.Write(script)
	return err
}

// completeCmd prints the completions of the last word, one per line: the completion, a tab, its help.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"The words after the program's name."`
}

func (c *completeCmd) run(_ context.Context, std stdio) error {
	var b strings.Builder
	for _, cand := range cmdline.Complete(programWithTools(), c.Words) {
		fmt.Fprintf(&b, "%s\t%s\n", cand.Text, cand.Help)
	}
	_, err := fmt.Fprint(std.out, b.String())
	return err
}
