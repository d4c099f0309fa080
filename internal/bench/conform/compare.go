package conform

import (
	"fmt"
	"strings"
)

// A Difference is one place where two terminals disagree at a checkpoint.
type Difference struct {
	What string // size, cursor, pending, visible, alt, scrollback, wrap, text, style
	Row  int    // of the grid, negative: above it, -1 the nearest
	Got  string
	Want string
}

// String describes the difference and its place.
func (d Difference) String() string {
	return fmt.Sprintf("%s row %d: we %s, oracle %s", d.What, d.Row, d.Got, d.Want)
}

// Traits say what an oracle can report.
type Traits struct {
	Name      string
	Wrap      bool // wrap flags and pending wrap
	Overline  bool
	Underline bool // its kinds beyond single and double, and its colour
	Hidden    bool // the text of hidden cells
	Blanks    bool // the colours of erased cells
	Joiners   bool // zero-width joiners and spaces; the blank of ISO 8859-1, which is xterm's in other sets
}

// HeadlessTraits are the traits of headless xterm.js.
func HeadlessTraits() Traits { return Traits{"headless", true, true, true, true, true, true} }

// XTermTraits are the traits of a printed page.
func XTermTraits() Traits { return Traits{Name: "xterm"} }

// Compare returns the differences between our screen and the oracle's.
func Compare(ours, oracle Screen, o Traits) []Difference {
	var out []Difference
	add := func(what string, row int, got, want any) {
		if got != want {
			out = append(out, Difference{what, row, fmt.Sprint(got), fmt.Sprint(want)})
		}
	}
	if ours.Rows != oracle.Rows || ours.Cols != oracle.Cols {
		add("size", 0, [2]int{ours.Rows, ours.Cols}, [2]int{oracle.Rows, oracle.Cols})
		return out
	}
	add("cursor", ours.Cursor[0], ours.Cursor, oracle.Cursor)
	if o.Wrap {
		add("pending", ours.Cursor[0], ours.Pending, oracle.Pending)
	}
	add("visible", ours.Cursor[0], ours.Visible, oracle.Visible)
	add("alt", 0, ours.Alt, oracle.Alt)
	if !ours.Alt { // the alternate screen has none
		add("scrollback", 0, ours.Scrollback, oracle.Scrollback)
	}
	for i := range min(len(ours.Grid), len(oracle.Grid)) {
		out = append(out, compareRow(i, ours.Grid[i], oracle.Grid[i], ours.Cols, o)...)
	}
	for i := 1; !ours.Alt && i <= min(len(ours.Above), len(oracle.Above)); i++ {
		a, b := ours.Above[len(ours.Above)-i], oracle.Above[len(oracle.Above)-i]
		out = append(out, compareRow(-i, a, b, ours.Cols, o)...)
	}
	return out
}

// compareRow compares two rows cell by cell and returns the first difference of
// each kind.
func compareRow(row int, a, b Row, cols int, o Traits) []Difference {
	var out []Difference
	if o.Wrap && a.Wrap != b.Wrap {
		out = append(out, Difference{"wrap", row, fmt.Sprint(a.Wrap), fmt.Sprint(b.Wrap)})
	}
	ca, cb := a.flat(cols), b.flat(cols)
	text, style := 0, 0
	for i := range min(len(ca), len(cb)) {
		if !o.Hidden && strings.Contains(" "+ca[i].style+" ", " h ") {
			continue
		}
		x, y := o.see(ca[i]), o.see(cb[i])
		if x.text != y.text || x.width != y.width {
			if text++; text == 1 {
				out = append(out, Difference{"text", row, fmt.Sprintf("col %d %v", i, x), y.String()})
			}
		} else if x.style != y.style && (o.Blanks || y != (cell{" ", 1, ""})) {
			if style++; style == 1 {
				out = append(out, Difference{"style", row, fmt.Sprintf("col %d %v", i, x), y.String()})
			}
		}
	}
	return out
}

// see returns c without what the oracle cannot report or a person cannot see: a
// blank without lines or reverse video shows no foreground, bold, dim, italic or
// blink. (xterm leaves the foreground in cells that it erases; @xterm/headless does
// not.)
func (o Traits) see(c cell) cell {
	if !o.Joiners {
		c.text = strings.NewReplacer("\u200d", "", "\u200b", "", "\u2060", "", "\u00a0", " ").Replace(c.text)
	}
	var w []string
	bare := c.text == " " && !strings.ContainsAny(c.style, "ruso")
	for _, s := range strings.Fields(c.style) {
		switch {
		case bare && s[0] != 'g':
			continue
		case s == "o" && !o.Overline, s[0] == 'U' && !o.Underline, s == "h" && !o.Hidden:
			continue
		case s > "u2" && s <= "u5" && !o.Underline:
			s = "u1"
		}
		w = append(w, s)
	}
	c.style = strings.Join(w, " ")
	return c
}
