package main

import (
	"slices"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

// rowsOf draws text, with clusters or without.
func rowsOf(text string, clusters bool) []emulator.Row {
	t := emulator.New(emulator.Options{Size: size, Clusters: clusters})
	t.Write([]byte(text))
	return t.Snapshot(0).Screen
}

// TestJudge draws a heart whose border is in its place where clusters are counted, and
// a coder where characters are.
func TestJudge(t *testing.T) {
	text := "plain:\r\n| plain: abc    |\r\n| heart: ❤️     |\r\n| coder: 👩‍💻   |\r\n| cjk: 日本語 |\r\n"
	for clusters, want := range map[bool][]string{false: {"heart"}, true: {"coder"}} {
		off, err := program{mark: "|"}.judge(rowsOf(text, clusters))
		for _, s := range samples {
			if s.tag != "heart" && s.tag != "coder" && !slices.Contains(off, s.tag) {
				t.Errorf("clusters %v: %s, which has no row or a border elsewhere, is not off", clusters, s.tag)
			}
		}
		off = slices.DeleteFunc(off, func(tag string) bool { return tag != "heart" && tag != "coder" })
		if err != nil || !slices.Equal(off, want) {
			t.Errorf("clusters %v: %q are off, want %q; %v", clusters, off, want, err)
		}
	}
	if _, err := (program{mark: "|"}).judge(rowsOf("nothing", false)); err == nil {
		t.Error("a screen without rows is judged")
	}
}

// TestTyped wants the typed lines that stand as they were typed.
func TestTyped(t *testing.T) {
	text := typed(plain)
	for _, s := range samples[1:] {
		text += "\r\n" + typed(s)
	}
	off, err := program{}.judge(rowsOf(text, false))
	if err != nil || !slices.Equal(off, []string{samples[0].tag}) {
		t.Errorf("%q are off, want %q; %v", off, samples[0].tag, err)
	}
	if _, err := (program{}).judge(rowsOf("> plain: abc", false)); err == nil {
		t.Error("a line editor that shows nothing of what was typed is judged")
	}
}

// TestPlay runs a program of sh from the first to the last row.
func TestPlay(t *testing.T) {
	s, err := newStage(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	p := program{name: "sh", needs: "sh", command: `while read -r row; do printf '%s\033[60G|\n' "$row"; done <"$ROWS"; cat`, keys: []string{"done\r"}, mark: "|"}
	off, err := p.measure(nil, s, false, false)
	if err != nil || len(off) > 0 {
		t.Errorf("%q are off: %v", off, err)
	}
	if _, err := s.play(program{needs: "no-such-program"}, false); err == nil {
		t.Error("a program that is not installed is played")
	}
}
