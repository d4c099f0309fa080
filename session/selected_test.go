package session

import (
	"regexp"
	"slices"
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
)

// TestSelected checks which texts the replies of real programs report as chosen.
func TestSelected(t *testing.T) {
	t.Parallel()
	down := func(n int) Input {
		return Input{Keys: []KeyPress{{Key: emulator.Key{Code: emulator.KeyDown}, Repeat: n}}}
	}
	tab := Input{Keys: []KeyPress{{Key: emulator.Key{Code: emulator.KeyTab}}}}
	for _, tt := range []struct {
		name, script string
		start        []string
		in           Input
		then         []string
	}{
		{"whiptail", "whiptail --yesno Install? 8 40", []string{"<Yes>"}, tab, []string{"<No>"}},
		{"dialog", "dialog --menu Edition 12 40 3 1 Basic 2 Pro 3 More", []string{"< OK >", "1 Basic"}, down(1), []string{"< OK >", "2 Pro"}},
		{"fzf", "seq 100 | fzf", []string{"1"}, Input{Text: "42"}, []string{"42"}},
		{"fzf", "seq 100 | fzf --height 8", []string{"1"}, Input{Text: "42"}, []string{"42"}},
		{"less", "seq 100 | sed 's/^/line /' >text; less text", nil, Input{Text: "/line 57", Enter: true}, []string{"line 57"}},
		{"vim", "printf 'one\\ntwo\\nthree\\nfour\\n' >text; vim -N -u NONE -i NONE -n text", nil, Input{Text: "jVj"}, []string{"two\nthree"}},
		{"mc", "mkdir a; touch a/one a/two; mc -u a a", nil, down(1), nil},
		{"top", "top -d 60", nil, Input{Text: "M"}, nil},
		{"nano", "nano text", nil, Input{Text: "words"}, nil},
	} {
		t.Run(tt.script, func(t *testing.T) {
			t.Parallel()
			need.Program(t, tt.name)
			s, r := launchWith(t, newManager(t), StartOptions{Command: "sh", Args: []string{"-c", tt.script}})
			if tt.name == "fzf" { // it waits for keys while it reads its input
				r = exchange(t, s, Input{}, Wait{Pattern: regexp.MustCompile("100/100"), Timeout: patience})
			}
			if tt.name != "mc" && !slices.Equal(chosen(r), tt.start) {
				t.Errorf("at first: %q, want %q: %s, %s", chosen(r), tt.start, r.Reason, r.Output)
			}
			r = exchange(t, s, tt.in, Wait{Timeout: patience})
			if tt.name == "mc" {
				if len(r.Selected) != 1 || r.Selected[0].Text[:3] != "one" {
					t.Errorf("in mc: %v", r.Selected)
				}
				return
			}
			if !slices.Equal(chosen(r), tt.then) {
				t.Errorf("then: %q, want %q", chosen(r), tt.then)
			}
		})
	}
}

// TestSelectedAtPrompts checks that nothing is reported as chosen in the output of a shell or a
// REPL.
func TestSelectedAtPrompts(t *testing.T) {
	t.Parallel()
	for _, argv := range [][]string{{"bash", "--norc"}, {"python3", "-q"}} {
		s, r := launch(t, newManager(t), argv[0], argv[1:]...)
		if r.Selected != nil {
			t.Errorf("%s: %v", argv[0], r.Selected)
		}
		line := "printf '  one\\n\\033[7m> two\\033[m\\n  three\\n'"
		if argv[0] == "python3" {
			line = "print('  one\\n\\033[7m> two\\033[m\\n  three')"
		}
		for _, w := range []Wait{{Timeout: patience}, {Timeout: patience, Until: UntilQuiet}, {Timeout: patience, Until: UntilNone}} {
			if r := exchange(t, s, Input{Text: line, Enter: true}, w); r.Selected != nil {
				t.Errorf("%s, until %s: %v", argv[0], w.Until, r.Selected)
			}
		}
	}
}

// chosen returns the texts that a reply reports as chosen.
func chosen(r *Reply) (texts []string) {
	for _, c := range r.Selected {
		texts = append(texts, c.Text)
	}
	return texts
}
