package emulator

import "unique"

// A Point is the position of a cell, zero-based from the top left.
type Point struct {
	Row int `json:"row"`
	Col int `json:"col"`
}

// A Size is the size of a grid: 1 to MaxRows rows and 1 to MaxCols columns.
type Size struct{ Rows, Cols int }

// MaxRows and MaxCols are the largest size of a grid.
const (
	MaxRows = 1000
	MaxCols = 1000
)

// ColorKind is the kind of value that a Color holds.
type ColorKind uint8

// The kinds of colour that SGR can name (xterm ctlseqs, "Character Attributes").
const (
	ColorDefault ColorKind = iota // the terminal's own foreground or background; for underlines, the text's colour
	ColorIndexed                  // palette entry 0–255, Color.Index
	ColorRGB                      // direct colour, Color.RGB
)

// A Color is a foreground, background or underline colour. Its zero value is the default
// colour. Colors can be compared with ==.
type Color uint32 // ColorKind in the top 8 bits, value in the lower 24

// Indexed returns the colour of palette entry i.
func Indexed(i uint8) Color { return Color(ColorIndexed)<<24 | Color(i) }

// RGB returns a direct colour.
func RGB(r, g, b uint8) Color {
	return Color(ColorRGB)<<24 | Color(r)<<16 | Color(g)<<8 | Color(b)
}

// Kind returns the kind of c.
func (c Color) Kind() ColorKind { return ColorKind(c >> 24) }

// Index returns the palette entry of c, whose kind must be ColorIndexed.
func (c Color) Index() uint8 { return uint8(c) }

// RGB returns the channels of c, whose kind must be ColorRGB.
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
	Protected                   // DECSCA 1 or SPA, not an SGR attribute
)

// Underline is an underline style (SGR 4, 4:0–4:5, 21).
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

// A Link is an OSC 8 hyperlink. Its zero value means no link. Links can be compared with ==;
// cells with equal links belong to the same link.
type Link struct{ text unique.Handle[linkText] }

type linkText struct{ id, uri string }

// NewLink returns a link to uri. The id, which may be empty, distinguishes this link from
// others to the same URI.
func NewLink(id, uri string) Link { return Link{unique.Make(linkText{id, uri})} }

// ID returns the id that the program gave the link, or "" if it gave none.
func (l Link) ID() string { return l.value().id }

// URI returns the target of the link, or "" for the zero Link.
func (l Link) URI() string { return l.value().uri }

func (l Link) value() linkText {
	if l == (Link{}) {
		return linkText{}
	}
	return l.text.Value()
}

// A Style holds the colours, attributes and link of a cell. Its zero value is the default
// rendition. Styles can be compared with ==.
type Style struct {
	FG, BG         Color
	UnderlineColor Color
	Underline      Underline
	Attrs          Attrs
	Link           Link
}

// backgroundOnly returns the style of a cell that is erased while s is the pen, the style of
// printed text. An erased cell has only the pen's background (terminfo's bce; xterm ctlseqs,
// "Erase ... with the current background").
func (s Style) backgroundOnly() Style { return Style{BG: s.BG} }

// A Cell is one position of the grid.
type Cell struct {
	// Text is the grapheme cluster shown. It is empty in an erased cell and in a
	// spacer, the right half of a wide cell.
	Text string
	// Width is 1 for an ordinary cell, 2 for a wide cell, and 0 for a spacer.
	Width uint8
	// Tile is the part of an image that the cell shows, if any. Text is then a character of
	// the image's label, which replaces the image in plain text, or empty.
	Tile  Tile
	Style Style
}
