package mcpserver

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/emulator/picture"
)

// A region is a rectangle of the screen's cells. A missing size reaches to the edge.
type region struct {
	Row  int `json:"row" min:"0"`
	Col  int `json:"col" min:"0"`
	Rows int `json:"rows" min:"1"`
	Cols int `json:"cols" min:"1"`
}

func (region) schema() schemaNode {
	return schemaNode{AnyOf: []schemaNode{{Type: "string"}, {Type: "object"}}}
}

func (region) forms() string { return `"row:rows", "row,col,rows,cols"` }

// parse reads "row:rows" or "row,col,rows,cols".
func (r *region) parse(text string) error {
	parts, fields := strings.Split(text, ","), []*int{&r.Row, &r.Col, &r.Rows, &r.Cols}
	if !strings.Contains(text, ",") {
		parts, fields = strings.Split(text, ":"), []*int{&r.Row, &r.Rows}
	}
	bad := fmt.Errorf(`must be %s (rows and columns from 0, sizes from 1), not %q`, r.forms(), clip(text))
	if len(parts) != len(fields) {
		return bad
	}
	for i, part := range parts {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if least := min(i/(len(fields)/2), 1); err != nil || n < least {
			return bad
		}
		*fields[i] = n
	}
	return nil
}

// within returns r as a picture.Region. Missing sizes extend to the screen's edges.
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
