package emulator

import "testing"

func TestRowANSI(t *testing.T) {
	cell := func(text string, s Style) Cell { return Cell{Text: text, Width: 1, Style: s} }
	red := Style{FG: Color{Kind: ColorIndexed, Index: 1}, Attrs: Bold}
	bright := Style{FG: Color{Kind: ColorIndexed, Index: 12}, BG: Color{Kind: ColorIndexed, Index: 200}}
	direct := Style{BG: Color{Kind: ColorRGB, R: 1, G: 2, B: 3}, Attrs: Italic | Overline}
	curly := Style{Underline: UnderlineCurly, UnderlineColor: Color{Kind: ColorRGB, R: 9}}
	lined := Style{Underline: UnderlineSingle, UnderlineColor: Color{Kind: ColorIndexed, Index: 3}}
	for _, c := range []struct {
		name string
		in   []Cell
		want string
	}{
		{"empty", nil, ""},
		{"plain", []Cell{cell("a", Style{}), cell("", Style{}), cell("b", Style{}), cell(" ", Style{})}, "a b"},
		{"bold red", []Cell{cell("a", red), cell("b", red), cell("c", Style{})}, "\x1b[1;31mab\x1b[mc"},
		{"to the end", []Cell{cell("a", red)}, "\x1b[1;31ma\x1b[m"},
		{"bright and 256", []Cell{cell("a", bright)}, "\x1b[94;48;5;200ma\x1b[m"},
		{"one style after another", []Cell{cell("a", red), cell("b", direct)}, "\x1b[1;31ma\x1b[0;3;53;48;2;1;2;3mb\x1b[m"},
		{"curly", []Cell{cell("a", curly)}, "\x1b[4:3;58:2::9:0:0ma\x1b[m"},
		{"underline colour", []Cell{cell("a", lined)}, "\x1b[4;58:5:3ma\x1b[m"},
		{"coloured blanks stay", []Cell{cell("", bright), cell("", Style{})}, "\x1b[94;48;5;200m \x1b[m"},
		{"blanks in a mere foreground go", []Cell{cell("a", Style{}), cell("", Style{FG: red.FG})}, "a"},
		{"wide", []Cell{{Text: "日", Width: 2}, {}, cell("x", Style{})}, "日x"},
		{"link and protection are left out", []Cell{cell("a", Style{Link: Link{URI: "u"}, Attrs: Protected})}, "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (Row{Cells: c.in}).ANSI(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSnapshotANSI(t *testing.T) {
	row := func(text string) Row { return Row{Cells: []Cell{{Text: text, Width: 1}}} }
	s := &Snapshot{Scrollback: []Row{row("a"), row("")}, Screen: []Row{row(""), row("b"), row(""), row("")}}
	if got, want := s.ANSI(), "a\n\n\nb"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
