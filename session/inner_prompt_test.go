package session

import (
	"testing"

	"github.com/glasstty/glasstty/detect"
)

// TestLongerPrompt checks prompts that end in one that was learned before: each is reported whole,
// and no part of it is output.
func TestLongerPrompt(t *testing.T) {
	type step struct{ line, output, prompt string }
	for _, sh := range []struct {
		start StartOptions
		steps []step
	}{
		{StartOptions{Command: "bash", Args: []string{"--norc"}}, []step{
			{"for i in 1", "", "> "},
			{"do echo $i; done", "1", "$ "},
			{`read -p "name> " n; echo $n`, "", "name> "},
			{"ann", "ann", "$ "},
			{`PS3="pick> "`, "", "$ "},
			{"select x in a b; do echo $x; break; done", "1) a\n2) b", "pick> "},
			{"2", "b", "$ "},
			{"printf end", "end", "$ "},
		}},
		{StartOptions{Command: "zsh", Args: []string{"-f"}}, []step{
			{"PS2='> '", "", "$ "},
			{"for i in 1", "", "> "},
			{"do echo $i; done", "1", "$ "},
			{"PS2='%_> '", "", "$ "},
			{"for i in 1", "", "for> "},
			{"do for j in 2", "", "for for> "},
			{"do echo $i $j; done; done", "1 2", "$ "},
			{`echo "a`, "", "dquote> "},
			{`b"`, "a\nb", "$ "},
		}},
	} {
		t.Run(sh.start.Command, func(t *testing.T) {
			t.Parallel()
			s, _ := launchWith(t, newManager(t), sh.start)
			for _, step := range sh.steps {
				r := say(t, s, step.line)
				if expect(t, r, detect.Prompt, step.output); r.Prompt != step.prompt {
					t.Errorf("%s: prompt %q, want %q", step.line, r.Prompt, step.prompt)
				}
			}
		})
	}
}
