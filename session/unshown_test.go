package session

import (
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
)

// TestUnshownLine checks that Enter is held after edits of a line that the screen does not show as
// it is, or in whose place a background job has drawn: what Enter would submit is not known.
func TestUnshownLine(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	tiny := &emulator.Size{Rows: 2, Cols: 4}
	for _, tt := range []struct {
		name, before string
		size         *emulator.Size
		job          string // draws while the line is on the screen
		typed        bool   // not recalled
	}{
		{name: "a tiny screen", size: tiny},
		{name: "a line that fills the screen", size: &emulator.Size{Rows: 3, Cols: 8}},
		{name: "typed on a tiny screen", size: tiny, typed: true},
		{name: "no echo", before: "stty -echo"},
		{name: "typed without echo", before: "stty -echo", typed: true},
		{name: "line drawing", before: `printf '\033(0'`},
		{name: "line drawing by SO", before: `printf '\033)0\016'`},
		{name: "margins", before: `printf '\033[?69h\033[5;20s'`},
		{name: "another line in its place", job: `printf '\r\033[2K$ echo hi'`},
		{name: "a screenful", job: "seq 40"},
		{name: "a comment before it", job: `printf '\033[s\033[3G# \033[u'`},
		{name: "a comment in a typed one", job: `printf '\033[s\033[3G# \033[u'`, typed: true},
		{name: "a prompt and a line", job: `printf '\r\033[2K\033]133;A\007P> \033]133;B\007echo hi'`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, open := newGate(t)
			s, _ := launchWith(t, forbiddingCommand(t), StartOptions{Command: need.Program(t, "bash"), Args: []string{"--norc"}, Dir: dir})
			lines := []string{tt.before, "echo forbidden"}
			if tt.job != "" {
				lines = []string{"(read x < gate; " + tt.job + ") &", "echo forbidden"}
			}
			for _, line := range lines {
				if held := heldBy(t, s, Input{Text: line, Enter: true}); held != "" {
					t.Fatalf("%s: held by %s", line, held)
				}
			}
			if tt.size != nil {
				if _, err := s.Resize(tt.size.Rows, tt.size.Cols); err != nil {
					t.Fatal(err)
				}
			}
			first := Input{Keys: keysOf(t, "up")}
			if tt.typed {
				first = Input{Text: "echo forbidden"}
			}
			for _, in := range []Input{first, {Keys: keysOf(t, "ctrl+a")}, {Keys: keysOf(t, "alt+d")}} {
				exchange(t, s, in, Wait{Timeout: patience})
			}
			if tt.job != "" {
				before := s.Snapshot(0).Revision
				open()
				for s.Snapshot(0).Revision == before {
					exchange(t, s, Input{}, Wait{Until: UntilChange, Timeout: patience})
				}
			}
			if held := heldBy(t, s, Input{Keys: keysOf(t, "enter")}); held == "" {
				t.Errorf("not held:\n%s", s.Snapshot(-1).Text())
			}
		})
	}
}
