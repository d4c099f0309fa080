package graphics

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// An Inline holds the arguments of an iTerm2 inline image.
type Inline struct {
	Width, Height Extent
	Stretch       bool // preserveAspectRatio=0
	Shown         bool // inline=1; otherwise it is a file to save, which is refused
	Stay          bool // doNotMoveCursor=1
}

// An Extent is a width or height in an Inline.
type Extent struct {
	N    int
	Unit ExtentUnit
}

// ExtentUnit is the unit of an Extent.
type ExtentUnit uint8

// The units of an Extent.
const (
	ExtentAuto ExtentUnit = iota
	ExtentCells
	ExtentPixels
	ExtentPercent // of the screen
)

// ParseInline parses key=value pairs separated by semicolons.
func ParseInline(args string) (Inline, error) {
	var in Inline
	for _, pair := range strings.Split(args, ";") {
		key, value, _ := strings.Cut(pair, "=")
		var err error
		switch key {
		case "width":
			in.Width, err = parseExtent(value)
		case "height":
			in.Height, err = parseExtent(value)
		case "preserveAspectRatio":
			in.Stretch = value == "0"
		case "inline":
			in.Shown = value == "1"
		case "doNotMoveCursor":
			in.Stay = value == "1"
		}
		if err != nil {
			return in, err
		}
	}
	return in, nil
}

// parseExtent parses N, Npx, N% or auto.
func parseExtent(s string) (Extent, error) {
	if s == "auto" || s == "" {
		return Extent{}, nil
	}
	unit := ExtentCells
	if n, ok := strings.CutSuffix(s, "px"); ok {
		s, unit = n, ExtentPixels
	} else if n, ok := strings.CutSuffix(s, "%"); ok {
		s, unit = n, ExtentPercent
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > MaxSide {
		return Extent{}, fmt.Errorf("%w: extent %.20q", ErrData, s)
	}
	if n == 0 {
		unit = ExtentAuto
	}
	return Extent{n, unit}, nil
}

// InlineImage returns the image in the base64 payload of an inline image.
func InlineImage(payload []byte) (*Image, error) {
	data, err := decodeBase64(bytes.TrimSpace(payload))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrLimit, len(data), MaxBytes)
	}
	return NewFile(data)
}
