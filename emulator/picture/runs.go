package picture

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/glasstty/glasstty/emulator"
)

// A Run is a sequence of cells in one row with the same style. Colours are names such as
// "red", "bright_red" or "color130", or "#rrggbb"; default colours are omitted.
type Run struct {
	Row            int      `json:"row"` // numbered as in Region
	Col            int      `json:"col"`
	Cols           int      `json:"cols"` // width in columns; wide characters take two
	Text           string   `json:"text"`
	FG             string   `json:"fg,omitempty"`
	BG             string   `json:"bg,omitempty"`
	UnderlineColor string   `json:"underline_color,omitempty"`
	Attrs          []string `json:"attrs,omitempty"` // see attrNames
	Link           string   `json:"link,omitempty"`
}

// JSON writes the runs as a JSON array.
func JSON(w io.Writer, snap *emulator.Snapshot, o Options) error {
	runs, err := Runs(snap, o)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(runs)
}

// Runs returns the rows as runs from top to bottom. Trailing blanks that are not visible are
// omitted. Without an error the result is never nil, so that its JSON is an array.
func Runs(snap *emulator.Snapshot, o Options) ([]Run, error) {
	v, err := newView(snap, o)
	if err != nil {
		return nil, err
	}
	runs := []Run{}
	for i := range v.rows {
		runs = append(runs, v.runs(i)...)
	}
	return runs, nil
}

// runs returns the runs of a row.
func (v *view) runs(row int) []Run {
	var out []Run
	cells := v.rows[row][:v.visibleEnd(row, false)]
	for col := 0; col < len(cells); {
		style := cells[col].Style
		run := Run{
			Row: v.first + row, Col: v.left + col,
			FG: colorName(style.FG), BG: colorName(style.BG), UnderlineColor: colorName(style.UnderlineColor),
			Attrs: attrNames(style), Link: cleanLink(style.Link.URI(), ""),
		}
		for col < len(cells) && cells[col].Style == style {
			c := cells[col]
			if text := v.text(c); text != "" {
				run.Text += text
			} else {
				run.Text += " "
			}
			run.Cols += width(c)
			col += width(c)
		}
		out = append(out, run)
	}
	return out
}

// attrNames returns the names of a style's attributes.
func attrNames(s emulator.Style) []string {
	var out []string
	for _, a := range [...]struct {
		bit  emulator.Attrs
		name string
	}{
		{emulator.Bold, "bold"}, {emulator.Dim, "dim"}, {emulator.Italic, "italic"}, {emulator.Blink, "blink"},
		{emulator.Reverse, "reverse"}, {emulator.Hidden, "hidden"}, {emulator.Strike, "strike"},
		{emulator.Overline, "overline"},
	} {
		if s.Attrs&a.bit != 0 {
			out = append(out, a.name)
		}
	}
	names := [...]string{"", "underline", "double_underline", "curly_underline", "dotted_underline", "dashed_underline"}
	if s.Underline > 0 && int(s.Underline) < len(names) {
		out = append(out, names[s.Underline])
	}
	return out
}

// colorName returns the name of a colour in a Run, or "" for the default colour.
func colorName(c emulator.Color) string {
	names := [8]string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
	switch i := c.Index(); {
	case c.Kind() == emulator.ColorRGB:
		r, g, b := c.RGB()
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	case c.Kind() != emulator.ColorIndexed:
		return ""
	case i < 8:
		return names[i]
	case i < 16:
		return "bright_" + names[i-8]
	default:
		return fmt.Sprintf("color%d", i)
	}
}
