package picture

// Options say what to draw and how. The zero value draws the whole snapshot, its
// scrollback rows first.
type Options struct {
	// Region is the part to draw; nil is all of it.
	Region *Region
	// CursorMark puts CursorMark before the cursor's cell in Text and ANSI, when
	// the cursor is visible. The other formats always draw a visible cursor.
	CursorMark bool
	// Reveal shows invisible and bidirectional control characters by their code,
	// such as ⟨U+202E⟩, in all formats but PNG, where their cell is red.
	Reveal bool
	// CellWidth is the width of a cell in a PNG's pixels, its height is twice
	// that; default DefaultCellWidth, smaller when the picture would have more
	// than MaxPixels pixels.
	CellWidth int
	// Fonts gives PNG its fonts; nil is the built-in font only.
	Fonts *Fonts
	// Images keeps the images that programs have sent decoded from one PNG to the
	// next; nil decodes them for each.
	Images *Images
}

// A Region is a rectangle of cells. Row 0 is the screen's first row; rows of
// the scrollback have negative numbers, the last of them -1.
type Region struct{ Row, Col, Rows, Cols int }

// CursorMark is the character put before the cursor's cell: a thin bar at the
// left edge.
const CursorMark = "▏"
