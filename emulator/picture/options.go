package picture

// Options configure a drawing. The zero value draws the whole snapshot, beginning with
// its scrollback rows.
type Options struct {
	// Region is the part to draw; nil means all.
	Region *Region
	// CursorMark puts the constant CursorMark before the cursor's cell in Text and ANSI
	// if the cursor is visible. HTML, SVG and PNG always draw a visible cursor.
	CursorMark bool
	// Reveal shows invisible and bidirectional control characters as their codes, such as
	// ⟨U+202E⟩. In a PNG, cells with such characters are red instead.
	Reveal bool
	// CellWidth is the width of a cell of a PNG in pixels, 6 to 64; the height is twice
	// that. The default is DefaultCellWidth. The width is reduced if the PNG would have
	// more than MaxPixels pixels.
	CellWidth int
	// Fonts finds the fonts for a PNG; nil means the built-in font only.
	Fonts *Fonts
	// Images caches decoded images between PNGs; nil means no cache.
	Images *Images
}

// A Region is a rectangle of cells. Row 0 is the first row of the screen. Rows of the
// scrollback have negative numbers; the last of them is -1.
type Region struct{ Row, Col, Rows, Cols int }

// CursorMark is the character that Options.CursorMark puts before the cursor's cell: a thin bar.
const CursorMark = "▏"
