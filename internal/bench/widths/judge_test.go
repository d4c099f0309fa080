package main

import (
	"slices"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

// rowsOf returns the rows of a screen that shows text, with grapheme clusters or
// without.
func rowsOf(text string, clusters bool) []emulator.Row {
	t := emulator.New(emulator.Options{Size: size, Clusters: clusters})
	t.Write([]byte(text))
	return t.Snapshot(0).Screen
}

// TestJudge checks a heart whose border is in place if clusters are counted, and a
// coder emoji whose border is in place if characters are counted.
func TestJudge(t *testing.T) {
	text := "plain:\r\n| plain: abc    |\r\n| heart: ❤️     |\r\n| coder: 👩‍💻   |\r\n| cjk: 日本語 |\r\n"
	for clusters, want := range map[bool][]string{false: {"heart"}, true: {"coder"}} {
		off, err := program{mark: "|"}.judge(rowsOf(text, clusters))
		for _, s := range samples {
			if s.tag != "heart" && s.tag != "coder" && !slices.Contains(off, s.tag) {
				t.Errorf("clusters %v: %s has no row or a misplaced border, but is not off", clusters, s.tag)
			}
		}
		off = slices.DeleteFunc(off, func(tag string) bool { return tag != "heart" && tag != "coder" })
		if err != nil || !slices.Equal(off, want) {
			t.Errorf("clusters %v: %q are off, want %q; %v", clusters, off, want, err)
		}
	}
	if _, err := (program{mark: "|"}).judge(rowsOf("nothing", false)); err == nil {
		t.Error("judging a screen without rows succeeds, want an error")
	}
}

// TestTyped checks that typed lines that are shown as typed are not off, and that a
// missing one is.
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
		t.Error("judging a line editor that does not show its input succeeds, want an error")
	}
}

// TestPlay checks that a program of sh can be played from the first to the last
// row.
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
		t.Error("playing a program that is not installed succeeds, want an error")
	}
}
