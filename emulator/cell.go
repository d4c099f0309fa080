package emulator

// A Point is a cell's position, zero-based from the top left.
type Point struct{ Row, Col int }

// A Size is a grid's extent in rows and columns, each from 1 to MaxRows and
// MaxCols.
type Size struct{ Rows, Cols int }

// MaxRows and MaxCols bound the size of a grid in either direction.
const (
	MaxRows = 1000
	MaxCols = 1000
)

// ColorKind says how a Color is to be read.
type ColorKind uint8

// The kinds of colour that SGR can name (xterm ctlseqs, "Character Attributes").
const (
	ColorDefault ColorKind = iota // the terminal's own foreground or background
	ColorIndexed                  // palette entry 0–255, in Color.Index
	ColorRGB                      // direct colour, in Color.R, G, B
)

// A Color is a foreground, background or underline colour. Its zero value is
// the default colour. Colors compare with ==.
type Color struct {
	Kind    ColorKind
	Index   uint8 // palette index, for ColorIndexed
	R, G, B uint8 // for ColorRGB
}

// Attrs is a set of SGR rendition attributes.
type Attrs uint16

// The attributes, each with the SGR parameter that sets it.
const (
	Bold      Attrs = 1 << iota // SGR 1
	Dim                         // SGR 2
	Italic                      // SGR 3
	Blink                       // SGR 5, 6
	Reverse                     // SGR 7
	Hidden                      // SGR 8
	Strike                      // SGR 9
	Overline                    // SGR 53
	Protected                   // DECSCA 1, not an SGR attribute
)

// Underline is a style of underlining (SGR 4, 4:0–4:5, 21).
type Underline uint8

// The underline styles in the order of SGR 4's subparameter.
const (
	UnderlineNone Underline = iota
	UnderlineSingle
	UnderlineDouble
	UnderlineCurly
	UnderlineDotted
	UnderlineDashed
)

// A Link is an OSC 8 hyperlink. Cells with equal ID and URI belong together.
type Link struct{ ID, URI string }

// A Style is everything about a cell but its text. Its zero value is the
// default rendition. Styles compare with ==.
type Style struct {
	FG, BG         Color
	UnderlineColor Color
	Underline      Underline
	Attrs          Attrs
	Link           Link
}

// A Cell is one position of the grid.
type Cell struct {
	// Text is the grapheme cluster shown, "" for a blank cell that was erased
	// and for the spacer that is the right half of a wide cell.
	Text string
	// Width is 1, 2 for a cell whose right neighbour is its spacer, and 0 for
	// that spacer.
	Width uint8
	Style Style
}
