package emulator

import "testing"

// cellsOf returns text as cells, one per rune; a wide rune is followed by its
// spacer, and '_' is an erased cell.
func cellsOf(text string) []Cell {
	var cells []Cell
	for _, r := range text {
		switch w := runeWidth(r); {
		case r == '_':
			cells = append(cells, Cell{Width: 1})
		case w == 0:
			cells[len(cells)-1].Text += string(r)
		case w == 2:
			cells = append(cells, Cell{Text: string(r), Width: 2}, Cell{})
		default:
			cells = append(cells, Cell{Text: string(r), Width: 1})
		}
	}
	return cells
}

func TestRowText(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"___", ""},
		{"ab_ c_  ", "ab  c"},
		{"日本_x__", "日本 x"},
		{"e\u0301t\u00e9 ", "e\u0301t\u00e9"},
		{"a\u00a0 ", "a\u00a0"},
	} {
		if got := (Row{Cells: cellsOf(tt.in)}).Text(); got != tt.want {
			t.Errorf("Text of %q = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestSnapshotText(t *testing.T) {
	snap := &Snapshot{
		Scrollback: []Row{{Cells: cellsOf("gone")}},
		Screen: []Row{
			{Cells: cellsOf("___")}, {Cells: cellsOf("two")},
			{Cells: cellsOf("___")}, {Cells: cellsOf("4__")}, {Cells: cellsOf("   ")},
		},
	}
	if got, want := snap.Text(), "\ntwo\n\n4"; got != want {
		t.Errorf("Text() = %q, want %q", got, want)
	}
	if got := (&Snapshot{}).Text(); got != "" {
		t.Errorf("Text() of nothing = %q", got)
	}
}

func TestCutCells(t *testing.T) {
	for _, tt := range []struct {
		in   string
		n    int
		want string
	}{
		{"hello", 0, "hello"},
		{"hello", -1, "hello"},
		{"hello", 2, "llo"},
		{"hello", 5, ""},
		{"hello", 9, ""},
		{"日本x", 2, "本x"},
		{"日本x", 3, "x"},
		{"e\u0301a", 1, "a"},
		{"e\u0301", 1, ""},
		{"\u0301a", 0, "\u0301a"},
		{"\u0301", 0, "\u0301"},
		{"a\xffb", 1, "\xffb"},
	} {
		if got := CutCells(tt.in, tt.n); got != tt.want {
			t.Errorf("CutCells(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}
