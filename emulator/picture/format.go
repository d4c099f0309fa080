package picture

import (
	"fmt"
	"io"

	"github.com/glasstty/glasstty/emulator"
)

// A Format is an output format for snapshots.
type Format string

// The formats.
const (
	FormatText Format = "text"
	FormatANSI Format = "ansi"
	FormatHTML Format = "html"
	FormatSVG  Format = "svg"
	FormatPNG  Format = "png"
	FormatJSON Format = "json"
)

// Formats returns all formats.
func Formats() []Format {
	return []Format{FormatText, FormatANSI, FormatHTML, FormatSVG, FormatPNG, FormatJSON}
}

// Write writes a snapshot in format f.
func (f Format) Write(w io.Writer, snap *emulator.Snapshot, o Options) error {
	switch f {
	case FormatText:
		return Text(w, snap, o)
	case FormatANSI:
		return ANSI(w, snap, o)
	case FormatHTML:
		return HTML(w, snap, o)
	case FormatSVG:
		return SVG(w, snap, o)
	case FormatPNG:
		return PNG(w, snap, o)
	case FormatJSON:
		return JSON(w, snap, o)
	}
	return fmt.Errorf("%w: %q (formats: %v)", ErrFormat, f, Formats())
}
