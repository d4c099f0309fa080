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

// completionCmd prints a shell's completion script. The scripts only call __complete, so they
// never go out of date.
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

// completeCmd prints the completions of the last word, one per line: the completion, a tab, and
// its help.
type completeCmd struct {
	Bash  bool     `help:"Bash has split the words at =; join them again."`
	Words []string `arg:"" optional:"" passthrough:"partial" help:"The words after the program's name."`
}

func (c *completeCmd) run(_ context.Context, std stdio) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	strip := ""
	if c.Bash {
		words, strip = joinWords(words)
	}
	var b strings.Builder
	for _, cand := range cmdline.Complete(programWithTools(), words) {
		fmt.Fprintf(&b, "%s\t%s\n", strings.TrimPrefix(cand.Text, strip), cand.Help)
	}
	_, err := fmt.Fprint(std.out, b.String())
	return err
}

// joinWords joins words that bash has split at =. strip is the part of the last word up to its
// last =. For bash it is another word, so the completions must not contain it.
func joinWords(words []string) (joined []string, strip string) {
	for i := 0; i < len(words); i++ {
		if words[i] != "=" || len(joined) == 0 {
			joined = append(joined, words[i])
			strip = ""
			continue
		}
		last := &joined[len(joined)-1]
		*last += "="
		strip = *last
		if i+1 < len(words) {
			i++
			*last += words[i]
		}
	}
	return joined, strip
}
