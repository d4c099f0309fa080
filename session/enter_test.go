package session

import (
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// twoLines reads two lines in line mode.
const twoLines = `python3 -c 'a = input(); b = input(); print(repr((a, b)))'`

// TestBehindEnter checks that lines typed after the Enter that starts a program reach the program,
// although the shell's line editor still has the terminal then.
func TestBehindEnter(t *testing.T) {
	need.Program(t, "python3")
	for name, inputs := range map[string][]Input{ // all but the last are only typed
		"lines": {{Text: twoLines + "\none\ntwo\n", NoPaste: true}},
		"keys":  {{Keys: keysOf(t, "text:"+twoLines, "enter", "text:one", "enter", "text:two", "enter")}},
		"ahead": {{Text: twoLines + "\n"}, {Text: "one\ntwo\n"}},
	} {
		for _, shell := range [][]string{{"bash", "--norc"}, {"zsh", "-f"}} {
			t.Run(name+"/"+shell[0], func(t *testing.T) {
				t.Parallel()
				need.Program(t, shell[0])
				s, _ := launch(t, newManager(t), shell[0], shell[1:]...)
				last := len(inputs) - 1
				for _, in := range inputs[:last] {
					if _, err := s.Type(t.Context(), in); err != nil {
						t.Fatal(err)
					}
				}
				r := exchange(t, s, inputs[last], Wait{Timeout: patience, Explain: true})
				expect(t, r, detect.Prompt, "('one', 'two')")
			})
		}
	}
}

// TestBehindProgram checks that a line typed behind those that a program reads reaches the shell.
func TestBehindProgram(t *testing.T) {
	for _, shell := range [][]string{{"bash", "--norc"}, {"zsh", "-f"}} {
		t.Run(shell[0], func(t *testing.T) {
			t.Parallel()
			need.Program(t, shell[0])
			s, _ := launch(t, newManager(t), shell[0], shell[1:]...)
			r := exchange(t, s, Input{Text: "head -1 >/dev/null\none\necho back", Enter: true, NoPaste: true}, Wait{Timeout: patience, Explain: true})
			expect(t, r, detect.Prompt, "back")
		})
	}
}
