package text

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glasstty/glasstty/emulator"
)

// TestEntered checks that rows that were on the screen at Enter are found, where they were or
// scrolled.
func TestEntered(t *testing.T) {
	term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 4, Cols: 10}})
	write := func(text string) {
		t.Helper()
		if _, err := term.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write("\x1b[?1049h\x1b[Hold\r\n$ echo a; ")
	before := term.Revision()
	if got := EnteredOn(term, before); got != nil {
		t.Errorf("nothing was typed: %q", got)
	}
	write("echo old")
	e := EnteredOn(term, before)
	if want := (Entered{"old", "$ echo a;", "echo old"}); !cmp.Equal(e, want) {
		t.Fatalf("got %q, want %q", e, want)
	}
	for _, tt := range []struct {
		name string
		rows []string
		want []bool
	}{
		{"the same", []string{"old", "$ echo a;", "echo old", ""}, []bool{true, true, true, false}},
		{"an answer below", []string{"old", "$ echo a;", "echo old", "old"}, []bool{true, true, true, false}},
		{"scrolled", []string{"$ echo a;", "echo old", "a", "old"}, []bool{true, true, false, false}},
		{"scrolled, other rows above", []string{"new", "echo old", "a", "old"}, []bool{false, true, false, false}},
		{"fewer rows", []string{"echo old"}, []bool{true}},
		{"gone", []string{"old", "$", "a", "old"}, make([]bool, 4)},
	} {
		if got := e.EchoRows(tt.rows); !cmp.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
	for line, want := range map[string]bool{"echo old": true, "$ echo a; echo old": true, "echo": false, "old": false, "": false} {
		if e.Repeats(line, 10) != want {
			t.Errorf("%q repeats the typed text: %v", line, !want)
		}
	}
}
