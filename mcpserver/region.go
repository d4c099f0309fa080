package mcpserver

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
)

// A region is a rectangle of screen cells. If Rows or Cols is 0, it extends to the edge of the screen.
type region struct {
	Row  int `json:"row" min:"0"`
	Col  int `json:"col" min:"0"`
	Rows int `json:"rows" min:"1"`
	Cols int `json:"cols" min:"1"`
}

func (*region) schema() *Schema {
	return &Schema{AnyOf: []*Schema{{Type: "string"}, {Type: "object"}}}
}

// regionForms are the forms of a region as text.
const regionForms = `"row:rows", "row,col,rows,cols"`

func (*region) want() string { return regionForms + ", or an object of row, col, rows, cols" }

// decode implements customArgument.
func (r *region) decode(raw json.RawMessage) error {
	if describe(raw) != "a string" {
		return fmt.Errorf("must be %s, not %s", r.want(), describe(raw))
	}
	if text := mustDecode[string](raw); !r.parse(text) {
		return fmt.Errorf(`must be %s (rows and columns from 0, sizes from 1), not %q`, regionForms, clip(text))
	}
	return nil
}

// parse reads one of regionForms.
func (r *region) parse(text string) bool {
	parts, fields := strings.Split(text, ","), []*int{&r.Row, &r.Col, &r.Rows, &r.Cols}
	if !strings.Contains(text, ",") {
		parts, fields = strings.Split(text, ":"), []*int{&r.Row, &r.Rows}
	}
	if len(parts) != len(fields) {
		return false
	}
	for i, part := range parts {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if least := min(i/(len(fields)/2), 1); err != nil || n < least {
			return false
		}
		*fields[i] = n
	}
	return true
}

// within returns r as a picture.Region, or an error if r is not within a screen of the given size.
func (r region) within(size emulator.Size) (*picture.Region, error) {
	if r.Rows == 0 {
		r.Rows = max(size.Rows-r.Row, 1)
	}
	if r.Cols == 0 {
		r.Cols = max(size.Cols-r.Col, 1)
	}
	if r.Row > size.Rows-r.Rows || r.Col > size.Cols-r.Cols {
		return nil, refuse("argument \"region\": %d rows from row %d and %d cols from col %d leave the screen of %d rows and %d cols",
			r.Rows, r.Row, r.Cols, r.Col, size.Rows, size.Cols)
	}
	return &picture.Region{Row: r.Row, Col: r.Col, Rows: r.Rows, Cols: r.Cols}, nil
}
