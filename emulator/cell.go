package emulator

import "unique"

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
	ColorIndexed                  // palette entry 0–255, Color.Index
	ColorRGB                      // direct colour, Color.RGB
)

// A Color is a foreground, background or underline colour. Its zero value is
// the default colour. Colors compare with ==.
type Color uint32 // the kind above 24 bits of value

// Indexed returns the colour of palette entry i.
func Indexed(i uint8) Color { return Color(ColorIndexed)<<24 | Color(i) }

// RGB returns a direct colour.
func RGB(r, g, b uint8) Color {
	return Color(ColorRGB)<<24 | Color(r)<<16 | Color(g)<<8 | Color(b)
}

// Kind says how c is to be read.
func (c Color) Kind() ColorKind { return ColorKind(c >> 24) }

// Index returns the palette entry of a colour of the kind ColorIndexed.
func (c Color) Index() uint8 { return uint8(c) }

// RGB returns the parts of a colour of the kind ColorRGB.
func (c Color) RGB() (r, g, b uint8) { return uint8(c >> 16), uint8(c >> 8), uint8(c) }

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

// A Link is an OSC 8 hyperlink. Its zero value is not a link. Links compare with
// ==: cells of the same link belong together.
type Link struct{ text unique.Handle[linkText] }

type linkText struct{ id, uri string }

// NewLink returns the link to uri; id, which may be empty, tells it from others
// to the same place.
func NewLink(id, uri string) Link { return Link{unique.Make(linkText{id, uri})} }

// ID returns what the program called the link.
func (l Link) ID() string {
	if l == (Link{}) {
		return ""
	}
	return l.text.Value().id
}

// URI returns where the link leads, "" for no link.
func (l Link) URI() string {
	if l == (Link{}) {
		return ""
	}
	return l.text.Value().uri
}

// A Style is everything about a cell but its text. Its zero value is the
// default rendition. Styles compare with ==.
type Style struct {
	FG, BG         Color
	UnderlineColor Color
	Underline      Underline
	Attrs          Attrs
	Link           Link
}

// erased returns the style that an erased cell takes: the background alone (bce
// in terminfo; xterm ctlseqs, "Erase ... with the current background").
func (s Style) erased() Style { return Style{BG: s.BG} }

// A Cell is one position of the grid.
type Cell struct {
	// Text is the grapheme cluster shown, "" for a blank cell that was erased
	// and for the spacer that is the right half of a wide cell.
	Text string
	// Width is 1, 2 for a cell whose right neighbour is its spacer, and 0 for
	// that spacer.
	Width uint8
	// Tile is the part of an image that the cell shows. Text is then a character of
	// the image's label, which stands for the image where only text is shown.
	Tile  Tile
	Style Style
}
