package conform

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Screen is the screen of a terminal at a checkpoint.
type Screen struct {
	Label      string `json:"label"`
	Rows       int    `json:"rows"`
	Cols       int    `json:"cols"`
	Cursor     [2]int `json:"cursor"`            // row, column
	Pending    bool   `json:"pending,omitempty"` // the next character wraps first
	Visible    bool   `json:"visible,omitempty"` // the cursor
	Alt        bool   `json:"alt,omitempty"`     // the alternate screen is shown
	Scrollback int    `json:"scrollback,omitempty"`
	Above      []Row  `json:"above,omitempty"` // the last rows of the scrollback
	Grid       []Row  `json:"grid"`
}

// A Row is one row, as runs of equal cells.
type Row struct {
	Wrap bool  `json:"wrap,omitempty"` // continues in the next row
	Runs []Run `json:"r,omitempty"`
}

// A Run is neighbouring cells of one style and width. Style is a list of words:
// b bold, d dim, i italic, k blink, r reverse, h hidden, s strike, o overline,
// u1–u5 underline, then U, f, g and a colour (palette number or #rrggbb) for
// underline, foreground and background.
type Run struct {
	Style string
	Width int
	Cells []string
}

// MarshalJSON writes [style, width, text], the text as one string when every
// cell is one character.
func (r Run) MarshalJSON() ([]byte, error) {
	for _, c := range r.Cells {
		if utf8.RuneCountInString(c) != 1 {
			return json.Marshal([]any{r.Style, r.Width, r.Cells})
		}
	}
	return json.Marshal([]any{r.Style, r.Width, strings.Join(r.Cells, "")})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Run) UnmarshalJSON(b []byte) error {
	var cells json.RawMessage
	if err := json.Unmarshal(b, &[]any{&r.Style, &r.Width, &cells}); err != nil {
		return err
	}
	if len(cells) > 0 && cells[0] == '[' {
		return json.Unmarshal(cells, &r.Cells)
	}
	var s string
	err := json.Unmarshal(cells, &s)
	for _, c := range s {
		r.Cells = append(r.Cells, string(c))
	}
	return err
}

// A cell is one position of a Row laid flat; the right half of a wide cell has
// width 0.
type cell struct {
	text  string
	width int
	style string
}

// String shows the cell with its escapes visible.
func (c cell) String() string {
	return fmt.Sprintf("%q w%d [%s]", c.text, c.width, c.style)
}

// flat returns cols cells. Cells that are in no run are blank.
func (r Row) flat(cols int) []cell {
	out := make([]cell, 0, cols)
	for _, run := range r.Runs {
		for _, c := range run.Cells {
			out = append(out, cell{c, run.Width, run.Style})
			if run.Width == 2 {
				out = append(out, cell{"", 0, run.Style})
			}
		}
	}
	for len(out) < cols {
		out = append(out, cell{" ", 1, ""})
	}
	return out
}

// trim drops blank cells of the default style from the row's end.
func (r *Row) trim() {
	for n := len(r.Runs) - 1; n >= 0; n-- {
		run := &r.Runs[n]
		if run.Style != "" {
			return
		}
		for k := len(run.Cells); k > 0 && run.Cells[k-1] == " "; k-- {
			run.Cells = run.Cells[:k-1]
		}
		if len(run.Cells) > 0 {
			return
		}
		r.Runs = r.Runs[:n]
	}
}

// add puts one cell at the row's end.
func (r *Row) add(style string, width int, text string) {
	if n := len(r.Runs) - 1; n >= 0 && r.Runs[n].Style == style && r.Runs[n].Width == width {
		r.Runs[n].Cells = append(r.Runs[n].Cells, text)
		return
	}
	r.Runs = append(r.Runs, Run{style, width, []string{text}})
}

// Text returns the row's text without its trailing blanks.
func (r Row) Text() string {
	var b strings.Builder
	for _, run := range r.Runs {
		b.WriteString(strings.Join(run.Cells, ""))
	}
	return strings.TrimRight(b.String(), " ")
}
