package session

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/internal/need"
)

// TestBesideTheLine checks that a right prompt, or what a program has left on the screen to the
// right of the line and below it, is not taken for a part of what Enter submits.
func TestBesideTheLine(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	checker, err := danger.New(strings.NewReader("deny word /forbidden$/ says what is forbidden"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		shell, setup string
		up           int // how many presses of up bring the forbidden line back; 0 if none do
	}{
		"zsh's right prompt":  {"zsh", "RPROMPT=forbidden", 0},
		"fish's right prompt": {"fish", "function fish_right_prompt; echo :60; end", 0},
		"a box in bash":       {"bash", `history -s 'echo forbidden'; printf '\n%060d\nfor%s\n\e[3A\r' 0 bidden`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need.Program(t, tt.shell)
			s, _ := launch(t, managerOf(t, Options{Danger: checker}), tt.shell)
			file := filepath.Join(t.TempDir(), "setup")
			if err := os.WriteFile(file, []byte(tt.setup), 0o600); err != nil {
				t.Fatal(err)
			}
			exchange(t, s, Input{Text: ". " + file, Enter: true}, Wait{Timeout: patience})
			r := exchange(t, s, Input{Text: "echo fine", Enter: true}, Wait{Timeout: patience})
			if !strings.Contains(r.Output, "fine") {
				t.Errorf("echo fine: %+v", r)
			}
			list := []Input{{Text: "echo forbidden", Enter: true}, {Text: "echo forbidden\r"}, {Keys: keysOf(t, "text:echo forbidden", "enter")}}
			if tt.up > 0 { // then the line is read from the screen
				list = append(list, Input{Keys: keysOf(t, append(slices.Repeat([]string{"up"}, tt.up), "enter")...)})
			}
			var held *HeldError
			for _, in := range list {
				if _, err := s.Type(t.Context(), in); !errors.As(err, &held) {
					t.Errorf("%+v: %v", in, err)
				}
			}
		})
	}
}
