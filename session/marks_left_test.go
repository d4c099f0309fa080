package session

import (
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// TestMarksLeft checks shells and REPLs whose marks stop, and programs inside them that send no C:
// all of their output is returned.
func TestMarksLeft(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	type step struct{ line, output string }
	for _, tt := range []struct {
		name    string
		command []string
		steps   []step
	}{
		{"python sets ps1", []string{"python3", "-q"}, []step{
			{"import sys; sys.ps1='new> '", ""}, {"5", "5"}, {"print('seven')", "seven"}, {"x=1", ""}, {"8", "8"},
		}},
		{"dash sets PS1", []string{"dash"}, []step{
			{"PS1='x> '", ""}, {"echo 1", "1"}, {"echo 2; echo 3", "2\n3"}, {"exec python3 -q", ""}, {"9", "9"},
		}},
		{"in dash", []string{"dash"}, []step{
			{"echo 1\necho 2\necho 3", "1\n2\n3"}, {"python3 -q", ""}, {"1+1", "2"}, {"exit()", ""}, {"echo k", "k"},
		}},
		{"lines for dash", []string{"dash"}, []step{
			{"cat <<X\na\nb\nX", "a\nb"}, {"for i in 1 2 3; do\necho $i\ndone", "1\n2\n3"},
			{"sleep .2; echo a\nsleep .2; echo b", "a\nb"}, {"if true", ""}, {"then echo yes", ""}, {"fi", "yes"},
		}},
		{"bash without PROMPT_COMMAND", []string{"bash", "--norc"}, []step{
			{"unset PROMPT_COMMAND", ""}, {"echo 2", "2"}, {"PS1='y> '", ""}, {"echo 4", "4"}, {"echo 5; echo 6", "5\n6"},
		}},
		{"zsh without hooks", []string{"zsh"}, []step{
			{"precmd_functions=(); preexec_functions=()", ""}, {"PS1='y> '", ""}, {"echo 3", "3"}, {"echo 4", "4"},
		}},
		{"zsh without prompt_sp", []string{"zsh"}, []step{
			{"setopt no_prompt_sp; echo -n x", ""}, {"echo q", "q"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			need.Program(t, tt.command[0])
			s, _ := launch(t, newManager(t), tt.command[0], tt.command[1:]...)
			for _, st := range tt.steps {
				expect(t, say(t, s, st.line), detect.Prompt, st.output)
			}
		})
	}
}

// TestLastCommandOfInnerShell checks that no last command is reported in an inner shell that
// reports none.
func TestLastCommandOfInnerShell(t *testing.T) {
	s, _ := launch(t, newManager(t), "bash", "--norc")
	if r := say(t, s, "true"); r.Last == nil || r.Last.Text != "true" {
		t.Errorf("last command %+v", r.Last)
	}
	for _, line := range []string{"bash --norc", "false"} {
		if r := say(t, s, line); r.Last != nil {
			t.Errorf("after %q: last command %+v", line, r.Last)
		}
	}
	if r := say(t, s, "exit"); r.Last == nil || r.Last.Text != "bash --norc" || r.Last.ExitCode != 1 {
		t.Errorf("last command %+v", r.Last)
	}
}
