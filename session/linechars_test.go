package session

import (
	"errors"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/internal/need"
)

// forbiddingCommand returns a Manager that holds the command forbidden, but not the word in a
// comment.
func forbiddingCommand(t *testing.T) *Manager {
	t.Helper()
	checker, err := danger.New(strings.NewReader("deny command `forbidden` nobody may run it"))
	if err != nil {
		t.Fatal(err)
	}
	return managerOf(t, Options{Danger: checker})
}

// TestLinesOfTheTerminal checks that keys that only seem to delete a line, or to make it a comment,
// do not hide what Enter submits. The terminal edits the shell's lines, or stty has changed its
// settings.
func TestLinesOfTheTerminal(t *testing.T) {
	t.Parallel()
	need.Program(t, "stty")
	text := func(s string) Input { return Input{Text: s} }
	line := func(s string) Input { return Input{Text: s, Enter: true} }
	keys := func(names ...string) Input { return Input{Keys: keysOf(t, names...)} }
	for _, tt := range []struct {
		name   string
		editor bool // of the shell's own
		steps  []Input
	}{
		{"ctrl+z throws the line away", false, []Input{text("# "), keys("ctrl+z"), line("forbidden")}},
		{`ctrl+\ throws the line away`, false, []Input{text("# "), keys(`ctrl+\`), line("forbidden")}},
		{"ctrl+z in the middle of a text", false, []Input{line("# \x1aforbidden")}},
		{"and keys whose effect only the screen tells", false, []Input{text("# "), keys("ctrl+z"), text("forbidden x"), keys("ctrl+w", "enter")}},
		{"ctrl+d hands a part over", false, []Input{text("forbidden"), keys("ctrl+d", "ctrl+u", "enter")}},
		{"ctrl+d, and backspace", false, []Input{text("forbidden"), keys("ctrl+d", "backspace*9", "enter")}},
		{"home moves no cursor", false, []Input{text("forbidden "), keys("home"), line("#")}},
		{"nor does ctrl+a", false, []Input{text("forbidden "), keys("ctrl+a"), line("#")}},
		{"ctrl+o is not an Enter", false, []Input{text("forb"), keys("ctrl+o"), keys("backspace"), line("idden")}},
		{"ctrl+w takes less than a word", false, []Input{text("forbidden /x"), keys("ctrl+w", "enter")}},
		{"ctrl+s keeps the echo back", false, []Input{keys("ctrl+s", "text:forbidden", "enter")}},
		{"another key to erase a line", false, []Input{line("stty kill @"), line("# @forbidden")}},
		{"another key to suspend", false, []Input{line("stty susp @"), line("# @forbidden")}},
		{"another end of lines", false, []Input{line("stty eol @"), text("forbidden @"), keys("ctrl+u", "enter")}},
		{"Enter that is none", false, []Input{line("stty igncr"), text("forbid\r")}},
		{"a line editor takes over what erases", true, []Input{line("stty kill @"), line("# @forbidden")}},
		{"and what erases a word", true, []Input{line("stty werase @"), line("# @forbidden")}},
		{"a paste that nobody has asked for", false, []Input{line(`printf '\033[?2004h'`), {Text: "true\nforbidden\n", Paste: true}}},
		{"not in a line editor either", true, []Input{line("bind 'set enable-bracketed-paste off'"), line(`printf '\033[?2004h'`), {Text: "true\nforbidden\n", Paste: true}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := []string{"--norc"}
			if !tt.editor {
				args = append(args, "--noediting")
			}
			s, _ := launch(t, forbiddingCommand(t), "bash", args...)
			var held *HeldError
			for i, in := range tt.steps {
				until := UntilQuiet
				if in.Enter { // input before the command has run would be another line
					until = UntilReady
				}
				_, err := s.Exchange(t.Context(), in, Wait{Timeout: patience, Until: until}, nil)
				if last := i == len(tt.steps)-1; last && !errors.As(err, &held) || !last && err != nil {
					t.Errorf("step %d: %v; on the screen:\n%s", i, err, s.Snapshot(0).Text())
				}
			}
			if text := s.Snapshot(-1).Text(); strings.Contains(text, "not found") {
				t.Errorf("the line was run:\n%s", text)
			}
		})
	}
}

// TestHarmlessLinesOfTheTerminal checks that harmless lines that the terminal edits are not held.
func TestHarmlessLinesOfTheTerminal(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, forbiddingCommand(t), "bash", "--norc", "--noediting")
	for _, tt := range []struct {
		steps []Input
		want  string
	}{
		{[]Input{{Text: "forbidden"}, {Keys: keysOf(t, "ctrl+u")}, {Text: "echo a", Enter: true}}, "a"},
		{[]Input{{Text: "forbidden"}, {Keys: keysOf(t, "ctrl+c")}, {Text: "echo b", Enter: true}}, "b"},
		{[]Input{{Text: "echo cxx"}, {Keys: keysOf(t, "backspace*2", "enter")}}, "c"},
		{[]Input{{Text: "echo dd ee"}, {Keys: keysOf(t, "ctrl+w", "enter")}}, "dd"},
	} {
		var r *Reply
		for i, in := range tt.steps {
			until := UntilQuiet
			if i == len(tt.steps)-1 { // the line is run
				until = UntilReady
			}
			r = exchange(t, s, in, Wait{Timeout: patience, Until: until})
		}
		if !strings.HasSuffix(r.Output, tt.want) {
			t.Errorf("%+v: %q, want %q", tt.steps, r.Output, tt.want)
		}
	}
}
