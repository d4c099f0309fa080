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
	write, ok := map[Format]func(io.Writer, *emulator.Snapshot, Options) error{
		FormatText: Text, FormatANSI: ANSI, FormatHTML: HTML, FormatSVG: SVG, FormatPNG: PNG, FormatJSON: JSON,
	}[f]
	if !ok {
		return fmt.Errorf("unknown format %q (formats: %v)", f, Formats())
	}
	return write(w, snap, o)
}
