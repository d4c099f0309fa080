package conform

import "strings"

// sameLines reports whether two screens have the same logical lines, in whatever
// rows. Soft-wrapped rows are one line. Styles are compared as far as the oracle
// can report them. If the scrollback is longer than what is compared, the oldest
// line may be incomplete and is left out.
func sameLines(ours, oracle Screen, o Traits) bool {
	a, b := logicalLines(ours, o), logicalLines(oracle, o)
	n := min(len(a), len(b))
	if ours.Scrollback <= aboveRows && oracle.Scrollback <= aboveRows {
		if len(a) != len(b) {
			return false
		}
	} else if n--; n <= 0 {
		return false
	}
	for i := 1; i <= n; i++ {
		if a[len(a)-i] != b[len(b)-i] {
			return false
		}
	}
	return true
}

// logicalLines joins the rows of a screen and its scrollback into lines, without
// blank ones at the end. A cell at the end of a row that was left free by a wide
// character is not part of a line.
func logicalLines(s Screen, o Traits) []string {
	var out []string
	var line strings.Builder
	rows := append(s.Above[:len(s.Above):len(s.Above)], s.Grid...)
	for i, r := range rows {
		cells := r.flat(s.Cols)
		if n := len(cells); r.Wrap && i+1 < len(rows) && cells[n-1].text == " " && rows[i+1].flat(s.Cols)[0].width == 2 {
			cells = cells[:n-1]
		}
		for _, c := range cells {
			c = o.see(c)
			line.WriteString(c.text + "\x00" + c.style + "\x01")
		}
		if !r.Wrap {
			out = append(out, trimBlanks(line.String()))
			line.Reset()
		}
	}
	out = append(out, trimBlanks(line.String()))
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// trimBlanks removes blank cells of any colour from the end of a line. Erasing
// leaves them up to the width that the screen had.
func trimBlanks(line string) string {
	cells := strings.SplitAfter(line, "\x01")
	for n := len(cells) - 1; n >= 0 && (cells[n] == "" || cells[n][0] == ' '); n-- {
		cells = cells[:n]
	}
	return strings.Join(cells, "")
}
