package conform

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

var (
	showName  = flag.String("show", "", "recording whose checkpoint -at is printed as each terminal has it")
	showPoint = flag.String("at", "", "beginning of the checkpoint's label")
)

// TestShow prints the screens of one checkpoint. It checks nothing.
func TestShow(t *testing.T) {
	if *showName == "" {
		t.Skip("to show a checkpoint, use -args -show NAME -at LABEL")
	}
	dir := filepath.Join(replayDir, *showName)
	rec, err := loadCast(dir)
	if err != nil {
		t.Fatal(err)
	}
	expect, err := loadExpect(dir)
	if err != nil {
		t.Fatal(err)
	}
	ours, _ := Ours{}.Replay(jobOf(rec))
	for i, s := range ours {
		if strings.HasPrefix(s.Label, *showPoint) {
			for name, o := range expect[i] {
				t.Logf("%s:\n%s", name, draw(o))
			}
			t.Logf("ours:\n%s", draw(s))
		}
	}
}

// draw returns a screen as text, with its wrap flags.
func draw(s Screen) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %dx%d cursor %v pending %v alt %v scrollback %d\n", s.Label, s.Rows, s.Cols, s.Cursor, s.Pending, s.Alt, s.Scrollback)
	for i, r := range append(s.Above[max(0, len(s.Above)-12):len(s.Above):len(s.Above)], s.Grid...) {
		mark := " "
		if r.Wrap {
			mark = "\\"
		}
		fmt.Fprintf(&b, "%4d %s|%s\n", i-min(12, len(s.Above)), mark, r.Text())
	}
	return b.String()
}
